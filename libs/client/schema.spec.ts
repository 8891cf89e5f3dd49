import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { pythonTypes } from './generate-python.js';
import { schemaPath, schemaText } from './generate-schema.js';

const document = new URL('../../docs/api/openapi.json', import.meta.url);
const pythonPath = new URL('../client-python/adit_client/types.py', import.meta.url);

describe('the types of the client', () => {
  it('types are those of the OpenAPI document (else: npm run docs)', async () => {
    expect(await readFile(schemaPath, 'utf8')).toBe(schemaText(JSON.parse(await readFile(document, 'utf8'))));
  });

  it('types of Python are those of the OpenAPI document (else: npm run docs)', async () => {
    expect(await readFile(pythonPath, 'utf8')).toBe(pythonTypes(JSON.parse(await readFile(document, 'utf8'))));
  });

  it('types say what JSON Schema says', () => {
    const types = (schemas: Record<string, object>) => schemaText({ paths: {}, components: { schemas } });
    const text = types({
      A: {
        type: 'object',
        properties: { a: { $ref: '#/components/schemas/B' }, 'b-c': { type: ['string', 'null'] } },
        required: ['a'],
      },
      B: { anyOf: [{ type: 'integer' }, { const: 'x' }, { type: 'number' }] },
      C: { type: 'array', items: { enum: [1, null] } },
      D: { type: 'object', additionalProperties: { type: 'boolean' } },
      E: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
      G: { type: 'object', additionalProperties: true },
      F: { allOf: [{ $ref: '#/components/schemas/A' }, { type: 'object' }] },
    });
    expect(text).toContain('export type A = {\n  a: B;\n  "b-c"?: string | null;\n};');
    expect(text).toContain('export type B = number | "x";');
    expect(text).toContain('export type C = (1 | null)[];');
    expect(text).toContain('export type D = Record<string, boolean>;');
    expect(text).toContain('export type E = [number, number];');
    expect(text).toContain('export type G = Record<string, unknown>;');
    expect(text).toContain('export type F = (A) & (Record<string, never>);');
  });
});
