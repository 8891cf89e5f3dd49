import {
  AccessKey,
  Artifact,
  AuditEntry,
  DetailedResult,
  Job,
  JobRequest,
  JobWebhook,
  MediaFacts,
  Model,
  ModelPin,
  ModelVersion,
  NewAccessKey,
  Problem,
  ResultSummary,
  StorageEntry,
  SummarizedResult,
} from '@adit/contracts';
import { z } from 'zod';
import { ApiKey, NewApiKey } from '../auth/key-routes.js';
import { DryRun } from '../jobs/job-routes.js';

/** The shapes with a name of their own in the document. */
const NAMED = {
  AccessKey,
  ApiKey,
  Artifact,
  AuditEntry,
  DetailedResult,
  DryRun,
  Job,
  JobRequest,
  JobWebhook,
  MediaFacts,
  Model,
  ModelPin,
  ModelVersion,
  NewAccessKey,
  NewApiKey,
  Problem,
  ResultSummary,
  StorageEntry,
  SummarizedResult,
};

type JsonSchema = Record<string, unknown>;

/** JSON Schemas of the routes' zod objects (2020-12, which is OpenAPI 3.1's dialect), the named ones once, by reference. */
export class JsonSchemas {
  readonly components: Record<string, JsonSchema> = {};
  private readonly names = z.registry<{ id: string }>();

  constructor() {
    for (const [id, schema] of Object.entries(NAMED)) this.names.add(schema, { id });
  }

  /** `input` is what a client sends, `output` what it gets: defaults are optional in one and present in the other. */
  of(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const json = z.toJSONSchema(schema, {
      io,
      metadata: this.names,
      unrepresentable: 'any',
      // What describe() and meta() say is in zod's own registry.
      override: ({ zodSchema, jsonSchema }) => void Object.assign(jsonSchema, z.globalRegistry.get(zodSchema) ?? {}),
    }) as JsonSchema;
    const { $schema: _, $defs = {}, id, ...rest } = json;
    for (const [name, definition] of Object.entries($defs as Record<string, JsonSchema>)) {
      this.components[name] ??= this.rewrite(definition);
    }
    const own = this.rewrite(rest);
    if (typeof id !== 'string') return own;
    this.components[id] ??= own;
    return { $ref: `#/components/schemas/${id}` };
  }

  private rewrite(value: unknown): JsonSchema {
    return rewritten(value) as JsonSchema;
  }
}

function rewritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewritten);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value)
    .filter(([key, member]) => !(key === 'id' && typeof member === 'string' && member in NAMED))
    .map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string'
        ? member.replace('#/$defs/', '#/components/schemas/')
        : rewritten(member),
    ]);
  return Object.fromEntries(members);
}
