/** @needs weights, build */
import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Answer } from '../testing/gateway.js';
import { arbitraryOf, garbage } from './arbitraries.js';
import { faultsOf } from './check-answer.js';
import { multipart, type Part } from './multipart.js';
import { apiDocument, filled, OPERATIONS, variablesOf, type JsonSchema, type Operation } from './operations.js';
import { World } from './world.js';

/** The same requests every time; another seed looks further: ADIT_FUZZ_SEED=7 ADIT_FUZZ_RUNS=1000. */
const SEED = Number(process.env['ADIT_FUZZ_SEED'] ?? 20261121);
const RUNS = Number(process.env['ADIT_FUZZ_RUNS'] ?? 8);
/** A slow machine takes longer, and tries no less. */
const TIMEOUT_MS = 600_000;

let world: World;
/** Ids of things that are there, whatever their kind. */
let ids: string[];

beforeAll(async () => {
  world = await World.start();
  const { jobId, artifactId } = await world.minedJob();
  ids = [
    jobId,
    artifactId,
    await world.dictionary(),
    await world.file(),
    await world.accessKey(),
    await world.webhook(),
    await world.model(),
  ];
}, 600_000);
afterAll(() => world?.close());

/** A stream has no end; a test or a replay of a webhook would knock at doors that the fuzzer made up. */
const tried = OPERATIONS.filter(({ path }) => !/\/(events|test|replay)\/$/.test(path))
  // Deletions come last, so that all other operations find their resources.
  .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

interface Shot {
  ids: string[];
  query: [string, string][];
  body: unknown;
  form: Record<string, Part>;
  key: string | undefined;
}

/** Requests as the document allows them, and some it does not. */
function shots({ path, documented }: Operation): fc.Arbitrary<Shot> {
  const { schemas } = apiDocument.components;
  // Dots alone are gone before a request is sent; what has no character names another path.
  const anyId = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).filter((text) => !/^\.+$/.test(text));
  const id = fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 6 }).map((at) => `#${at}`) }, fc.uuid(), anyId);
  const query = documented.parameters
    .filter(({ in: place, name }) => place === 'query' && name !== 'dry_run')
    .map(({ name, schema }) =>
      fc.option(
        arbitraryOf(schema, schemas).map((value): [string, string] => [name, plain(value)]),
        { nil: undefined },
      ),
    );
  const content = documented.requestBody?.content ?? {};
  const schemaOf = (type: string): JsonSchema | undefined => content[type]?.schema;
  const form = schemaOf('multipart/form-data');
  return fc.record({
    ids: fc.array(id, { minLength: variablesOf(path).length, maxLength: variablesOf(path).length }),
    query: fc.tuple(...query).map((all) => all.filter((entry) => entry !== undefined)),
    body: arbitraryOf(schemaOf('application/json') ?? {}, schemas),
    form: form === undefined ? fc.constant({}) : arbitraryOf(form, schemas).map(partsOf),
    key: fc.option(fc.string({ minLength: 1, maxLength: 30 }), { nil: undefined, freq: 8 }),
  });
}

function plain(value: unknown): string {
  // Half a surrogate pair has no place in an address.
  return wellFormed(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function partsOf(value: unknown): Record<string, Part> {
  if (value === null || typeof value !== 'object') return { file: plain(value) };
  return Object.fromEntries(
    Object.entries(value).map(([name, member]): [string, Part] => [
      wellFormed(name),
      name === 'file'
        ? { filename: 'fuzz.csv', contentType: 'text/csv', bytes: Buffer.from(`source,target\n${plain(member)},b\n`) }
        : plain(member),
    ]),
  );
}

async function fire({ method, path, documented }: Operation, shot: Shot): Promise<Answer> {
  const values = shot.ids.map((id) => (/^#\d$/.test(id) ? (ids[Number(id.slice(1))] ?? id) : wellFormed(id)));
  const query = new URLSearchParams(shot.query).toString();
  const url = `${filled(path, values)}${query === '' ? '' : `?${query}`}`;
  const types = Object.keys(documented.requestBody?.content ?? {});
  const isForm = types.includes('multipart/form-data') && (types.length === 1 || shot.query.length % 2 === 0);
  const form = isForm ? multipart(shot.form) : null;
  const json = types.includes('application/json') ? Buffer.from(JSON.stringify(shot.body) ?? 'null') : undefined;
  return world.ask(method, url, form?.payload ?? json, {
    ...(form?.headers ?? (json === undefined ? {} : { 'content-type': 'application/json' })),
    ...(shot.key === undefined ? {} : { 'idempotency-key': shot.key.replace(/[^\x21-\x7e]/g, '-') }),
  });
}

describe('operations under random requests', () => {
  it.each(tried.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    '%s never breaks, and answers as documented',
    async (_, operation) => {
      await fc.assert(
        fc.asyncProperty(shots(operation), async (shot) => {
          const answer = await fire(operation, shot);
          // An operation that is not implemented may say so where the document allows it.
          const broken = answer.status >= 500 && answer.status !== 501;
          expect([answer.status, broken ? answer.text : '']).toEqual([answer.status, '']);
          expect(faultsOf(operation, answer)).toEqual([]);
        }),
        { seed: SEED, numRuns: RUNS },
      );
    },
    TIMEOUT_MS,
  );

  it('the gateway is unchanged by the requests', async () => {
    expect((await world.ask('GET', '/readyz')).status).toBe(200);
    expect((await world.ask('GET', `/api/v1/jobs/${await world.job()}/`)).status).toBe(200);
  });

  it(
    'takes bodies that are none at all',
    async () => {
      const posts = tried.filter(({ documented }) => 'application/json' in (documented.requestBody?.content ?? {}));
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...posts), garbage, async (operation, body) => {
          const url = filled(operation.path, ids);
          const payload = Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
          const answer = await world.ask(operation.method, url, payload, {
            'content-type': 'application/json',
          });
          expect(answer.status).toBeLessThan(500);
          expect(faultsOf(operation, answer)).toEqual([]);
        }),
        { seed: SEED, numRuns: RUNS * 10 },
      );
    },
    TIMEOUT_MS,
  );
});
