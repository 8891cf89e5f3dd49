import 'reflect-metadata';
import { DEFAULT_LIMIT, MAX_LIMIT } from '@adit/contracts';
import { loadModules } from '@adit/modules';
import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from './document.js';
import { everywhere } from './testing/everywhere.js';

type Json = Record<string, unknown>;

const modules = await loadModules();
const document = openApiDocument(modules) as {
  paths: Record<string, Record<string, { parameters: (Json & { name: string; in: string })[] }>>;
  components: { schemas: Record<string, { description?: string; properties?: Record<string, Json> }> };
};
const { schemas } = document.components;

const places = [...everywhere(document)];
const parameters = places.filter(([way, { name, schema }]) => way.includes('parameters') && name && schema);
const properties = places.filter(([way]) => way.at(-2) === 'properties');

describe('descriptions in the OpenAPI document', () => {
  it.each([
    ['parameter', parameters, 300],
    ['property', properties, 1_000],
  ] as const)('describes every %s, in a sentence', (_, described, least) => {
    expect(described.length).toBeGreaterThan(least);
    const said = ({ description }: Json): boolean => typeof description === 'string' && /\w/.test(description);
    expect(described.filter(([, each]) => !said(each)).map(([way]) => way.join('/'))).toEqual([]);
  });

  it('every limit has its default and its maximum described', () => {
    const limits = parameters.filter(([, { name }]) => name === 'limit');
    expect(limits.length).toBeGreaterThan(30);
    for (const [, { description, required }] of limits) {
      expect(description).toContain(`1 to ${MAX_LIMIT}`);
      if (required === false) expect(description).toMatch(new RegExp(`\\b${DEFAULT_LIMIT}\\b`));
    }
  });

  it('deprecated fields are marked, and those without effect say so', () => {
    const deprecated = places.filter(([, { deprecated: is }]) => is === true).map(([way]) => way.slice(-3).join('/'));
    expect(deprecated.sort()).toEqual(['Job/properties/result', 'TranscriptJob/properties/result']);
    for (const name of ['exp_backoff', 'retry_limit']) {
      expect(schemas['Webhook']?.properties?.[name]).toMatchObject({
        description: expect.stringContaining('no effect'),
      });
    }
  });

  it('arguments of every module are described, open for those that are added to an installation', () => {
    const asked = schemas['RequestedModules'];
    expect(Object.keys(asked?.properties ?? {}).sort()).toEqual(modules.modules.map(({ id }) => id).sort());
    expect(asked).toMatchObject({ additionalProperties: { type: 'object', additionalProperties: true } });
    const modulesOf = schemas['JobRequest']?.properties?.['modules'];
    expect(modulesOf).toMatchObject({ $ref: '#/components/schemas/RequestedModules' });
    expect(asked?.properties?.['face_recognition']).toMatchObject({
      $ref: '#/components/schemas/FaceRecognitionArguments',
    });
    const { face_detection_scale: scale, max_distance: distance } =
      schemas['FaceRecognitionArguments']?.properties ?? {};
    expect(scale).toMatchObject({ type: 'integer', minimum: 100, maximum: 2000, default: 600 });
    // A gallery that was trained has one of its own, which a client that fills in defaults must not outdo.
    expect(distance).toMatchObject({ type: 'number', minimum: 0, maximum: 2 });
    expect(distance?.['default']).toBeUndefined();
  });
});
