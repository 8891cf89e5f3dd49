import { z } from 'zod';
import type { RouteDefinition } from '../http/route.js';

/** What a body or a reply looks like, by its schema: one route tells it for all that take or answer the same. */
export class Examples {
  private readonly bySchema = new Map<z.ZodType, unknown>();

  constructor(routes: readonly RouteDefinition[]) {
    for (const { body, reply, example } of routes) {
      if (body !== undefined) this.note(body, example?.body);
      if (isSchema(reply)) this.note(reply, example?.reply);
    }
  }

  /** Undefined where nobody has told it. A page is that of a single object, and so is a list. */
  of(schema: z.ZodType): unknown {
    const own = this.bySchema.get(schema);
    if (own !== undefined) return own;
    if (schema instanceof z.ZodArray) {
      const item = this.of(schema.element as z.ZodType);
      return item === undefined ? undefined : [item];
    }
    const data = schema instanceof z.ZodObject ? (schema.shape['data'] as z.ZodType | undefined) : undefined;
    const listed = data instanceof z.ZodArray ? this.of(data) : undefined;
    return listed === undefined ? undefined : { total: 1, offset: 0, limit: 10, next: null, prev: null, data: listed };
  }

  private note(schema: z.ZodType, example: unknown): void {
    if (example !== undefined && !this.bySchema.has(schema)) this.bySchema.set(schema, example);
  }
}

function isSchema(reply: RouteDefinition['reply']): reply is z.ZodType {
  return reply !== null && !('contentType' in reply);
}
