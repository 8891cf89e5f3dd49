import 'reflect-metadata';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { documentPath, documentText } from './committed.js';
import { openApiDocument } from './document.js';

interface Operation {
  operationId: string;
  responses: Record<string, { content: Record<string, { schema: object; example?: unknown }> }>;
}

const document = openApiDocument() as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
};
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

describe('the OpenAPI document', () => {
  it('is the committed one (else: ADIT_UPDATE_OPENAPI=1 npm test -- apps/gateway/openapi)', async () => {
    if (process.env['ADIT_UPDATE_OPENAPI'] === '1') await import('./write.js');
    expect(await readFile(documentPath, 'utf8')).toBe(documentText());
  });

  it('refers only to what it holds', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(references.length).toBeGreaterThan(20);
    const names = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(references.filter((reference) => !names.includes(reference))).toEqual([]);
  });

  it('gives every operation its own id, a reply and problem details', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operationId, responses } of operations.filter(({ responses: all }) => '401' in all)) {
      expect([operationId, Object.keys(responses['401']?.content ?? {})]).toEqual([
        operationId,
        ['application/problem+json'],
      ]);
      const success = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      expect([operationId, success.length]).toEqual([operationId, 1]);
      const [[status, reply]] = success as [[string, { content?: object }]];
      expect([operationId, Object.keys(reply.content ?? {}).length]).toEqual([
        operationId,
        status === '204' || operationId.startsWith('head') ? 0 : 1,
      ]);
    }
  });
});
