import { z } from 'zod';
import { examplePage } from '../http/example-page.js';
import type { RouteDefinition } from '../http/route.js';
import { Message } from '../http/shapes.js';

/**
 * Shares the example of a body or a reply among all routes of the same schema. Descriptions of an action belong to one
 * route alone.
 */
export class Examples {
  private readonly bySchema = new Map<z.core.$ZodType, unknown>();

  constructor(routes: readonly RouteDefinition[]) {
    for (const { body, reply, example } of routes) {
      if (body !== undefined) this.note(body, example?.body);
      if (isSchema(reply)) this.note(reply, example?.reply);
    }
  }

  /** Undefined where nobody has told it. A page is that of a single object, and so is a list. */
  of(schema: z.core.$ZodType): unknown {
    const own = this.bySchema.get(schema);
    if (own !== undefined) return own;
    if (schema instanceof z.ZodArray) return this.list(schema);
    const data: unknown = schema instanceof z.ZodObject ? schema.shape['data'] : undefined;
    const listed = data instanceof z.ZodArray ? this.list(data) : undefined;
    return listed === undefined ? undefined : examplePage(...listed);
  }

  private list({ element }: z.ZodArray): unknown[] | undefined {
    const item = this.of(element);
    return item === undefined ? undefined : [item];
  }

  private note(schema: z.ZodType, example: unknown): void {
    if (example === undefined || schema === Message || this.bySchema.has(schema)) return;
    this.bySchema.set(schema, example);
  }
}

function isSchema(reply: RouteDefinition['reply']): reply is z.ZodType {
  return reply !== null && !('contentType' in reply);
}
