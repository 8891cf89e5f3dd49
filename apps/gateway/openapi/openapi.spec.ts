import 'reflect-metadata';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { loadModules } from '@adit/modules';
import { documentPath, documentText } from './committed.js';
import { openApiDocument } from './document.js';
import { everywhere } from './testing/everywhere.js';

type Json = Record<string, unknown>;

interface Operation {
  operationId: string;
  description: string;
  tags: string[];
  parameters: { name?: string; $ref?: string; schema?: Json }[];
  responses: Record<string, { $ref?: string; headers?: Json; content?: Record<string, { schema: Json }> }>;
}

const document = openApiDocument(await loadModules()) as {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: Record<string, Json> & { schemas: Record<string, Json> };
};
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

const places = [...everywhere(document)];
const found = (wrong: (schema: Json) => boolean): string[] =>
  places.filter(([way, schema]) => !way.at(-1)?.match(/^properties$/) && wrong(schema)).map(([way]) => way.join('/'));

describe('the OpenAPI document', () => {
  it('the document is the committed one (else: npm run docs)', async () => {
    if (process.env['ADIT_UPDATE_OPENAPI'] === '1') await import('./write.js');
    expect(await readFile(documentPath, 'utf8')).toBe(await documentText());
  });

  it('refers only to what it holds, and holds nothing else', () => {
    const references = new Set([...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, way]) => way));
    const kinds = ['schemas', 'parameters', 'headers', 'responses'];
    const held = kinds.flatMap((kind) =>
      Object.keys(document.components[kind] ?? {}).map((name) => `components/${kind}/${name}`),
    );
    expect(held.length).toBeGreaterThan(100);
    expect([...references].sort()).toEqual(held.sort());
  });

  it('gives every operation its own id, a description, one shape of reply and problem details', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operationId, description, responses } of operations) {
      expect([operationId, description.length > 20]).toEqual([operationId, true]);
      const shapes = Object.entries(responses)
        // 202 asks to come again, and has no body.
        .filter(([status]) => status.startsWith('2') && status !== '202')
        .map(([, { content = {} }]) => JSON.stringify(content));
      expect([operationId, new Set(shapes).size]).toEqual([operationId, 1]);
      const refusals = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      for (const [, { $ref }] of refusals) expect($ref).toMatch(/^#\/components\/responses\//);
    }
  });

  it('every reply names its headers, X-Request-Id first', () => {
    const replies = [
      ...operations.flatMap(({ responses }) => Object.values(responses)),
      ...Object.values(document.components['responses'] ?? {}),
    ];
    for (const reply of replies as { $ref?: string; headers?: Json }[]) {
      if (reply.$ref === undefined) expect(Object.keys(reply.headers ?? {})[0]).toBe('X-Request-Id');
    }
    const headersOf = (id: string): string[] =>
      Object.values(operations.find(({ operationId }) => operationId === id)?.responses ?? {}).flatMap(
        ({ headers = {} }) => Object.keys(headers),
      );
    expect(headersOf('getStorageByStorageIdFile')).toEqual(expect.arrayContaining(['ETag', 'Content-Range']));
    expect(headersOf('postStorageUploads')).toEqual(expect.arrayContaining(['Location', 'Upload-Offset']));
    expect(document.components['responses']?.['TooManyRequests']).toMatchObject({ headers: { 'Retry-After': {} } });
  });

  it('describes every tag that is used, and no other', () => {
    const sent = Object.values(document.webhooks).map(({ post }) => post!);
    expect(document.tags.map(({ name }) => name).sort()).toEqual(
      [...new Set([...operations, ...sent].flatMap(({ tags }) => tags))].sort(),
    );
    // Generators make a file of a tag, of paths or of what is sent.
    const tagsOf = (some: Operation[]) => new Set(some.flatMap(({ tags }) => tags));
    expect([...tagsOf(sent)].filter((tag) => tagsOf(operations).has(tag))).toEqual([]);
    for (const { description } of document.tags) expect(description).not.toBe('');
  });

  it('gives a name to every object and to every choice', () => {
    const nameless = found(
      (schema) =>
        Object.keys((schema['properties'] ?? {}) as Json).length > 0 ||
        (Array.isArray(schema['enum']) && schema['enum'].length > 1),
    ).filter((way) => !/^components\/schemas\/[^/]+$/.test(way));
    expect(nameless).toEqual([]);
    // A generator for Go calls its constructors so.
    expect(Object.keys(document.components.schemas).filter((name) => name.startsWith('New'))).toEqual([]);
  });

  /** @hardening api: Generators of clients cannot read the OpenAPI document */
  it('keeps to what generators of clients know', () => {
    expect(found((schema) => 'prefixItems' in schema || 'propertyNames' in schema || 'const' in schema)).toEqual([]);
    expect(found((schema) => schema['items'] === false)).toEqual([]);
    expect(found((schema) => 'pattern' in schema && 'format' in schema)).toEqual([]);
    const nulls = found((schema) => schema['type'] === 'null').filter((way) => !/\/anyOf\/1$/.test(way));
    expect(nulls).toEqual([]);
    const isNumber = (schema: Json): boolean =>
      ['integer', 'number'].some((type) => [schema['type']].flat().includes(type));
    expect(found((schema) => isNumber(schema) && schema['format'] === undefined)).toEqual([]);
    const mixed = found(({ anyOf }) => Array.isArray(anyOf) && anyOf.some(({ type }: Json) => type === 'array'));
    expect(mixed).toEqual([]);
    expect(found((schema) => schema['default'] !== null && typeof schema['default'] === 'object')).toEqual([]);
    const several = ({ $ref, anyOf, default: given }: Json): boolean =>
      given !== undefined && (Array.isArray(anyOf) || ($ref !== undefined && typeof given !== 'string'));
    expect(found(several)).toEqual([]);
  });

  it('knows the headers of requests, bytes as bytes, one type for an id, and a switch as a boolean', () => {
    const parameters = (id: string): unknown[] =>
      operations.find(({ operationId }) => operationId === id)?.parameters ?? [];
    expect(parameters('postJobs')).toContainEqual(expect.objectContaining({ name: 'Prefer', in: 'header' }));
    expect(parameters('getJobsByJobIdEvents')).toContainEqual(expect.objectContaining({ name: 'Last-Event-ID' }));
    expect(parameters('postJobs')).toContainEqual({ $ref: '#/components/parameters/IdempotencyKey' });
    expect(parameters('postJobs')).toContainEqual(
      expect.objectContaining({ name: 'dry_run', required: false, schema: { type: 'boolean' } }),
    );
    const ids = places.filter(([way, { name }]) => way.includes('parameters') && name === 'storageId');
    for (const [, { schema }] of ids) expect(schema).toEqual({ type: 'integer', format: 'int64' });
    const bytes = operations.filter(({ responses }) => '206' in responses);
    expect(bytes.length).toBeGreaterThan(5);
    for (const { responses } of bytes) {
      const [media] = Object.values(responses['200']?.content ?? {});
      expect(media?.schema).toEqual({ type: 'string', format: 'binary' });
    }
  });
});
