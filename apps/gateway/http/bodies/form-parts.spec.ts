/** @needs weights, build */
import { modelId, Problem } from '@adit/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type TestGateway } from '../../testing/gateway.js';

let gateway: TestGateway;
let base: string;
let ownClass: string;

async function post(url: string, body: string, type: string): Promise<{ status: number; problem: Problem }> {
  const headers = { authorization: `Key ${gateway.key}`, 'content-type': type };
  const reply = await fetch(`${base}${url.replace('{class}', ownClass)}`, { method: 'POST', body, headers });
  return { status: reply.status, problem: Problem.parse(await reply.json()) };
}

beforeAll(async () => {
  gateway = await startGateway();
  await gateway.app.listen(0, '127.0.0.1');
  base = await gateway.app.getUrl();
  const dataset = await gateway.ask('POST', '/api/v1/datasets/', { name: 'a', type: 'face' });
  const { id } = dataset.json<{ id: string }>();
  const added = await gateway.ask('POST', `/api/v1/datasets/${id}/classes/`, { label: 'a' });
  ownClass = `${id}/classes/${added.json<{ id: string }>().id}`;
}, BOOT_MS);
afterAll(() => gateway?.close());

const head = (name: string) =>
  `--b\r\ncontent-disposition: form-data; name="${name}"; filename="f.csv"\r\ncontent-type: text/csv\r\n\r\n`;
const whole = 'multipart/form-data; boundary=b';
const places = [
  '/api/v1/storage/?folder=/a',
  '/api/v2/storage/?folder=/a',
  '/api/v1/dictionaries/',
  '/api/v1/batches/files/',
];
/** These take JSON, too; `{class}` is a class of a dataset. */
const takingBoth = [
  '/api/v1/models/',
  `/api/v1/models/${modelId('general-c')}/predict/`,
  '/api/v1/faces/detect/',
  '/api/v1/faces/compare/',
  '/api/v1/faces/search/',
  '/api/v1/search/',
  '/api/v1/datasets/{class}/images/',
];
const fieldOf = (url: string): string => {
  if (url.includes('batches')) return 'files';
  if (url.includes('compare')) return 'a';
  return url.endsWith('/v1/search/') ? 'photo' : 'file';
};
const broken: [string, string, (name: string) => string][] = [
  ['no boundary', 'multipart/form-data', (name) => `${head(name)}a\r\n--b--\r\n`],
  ['another boundary', 'multipart/form-data; boundary=c', (name) => `${head(name)}a\r\n--b--\r\n`],
  [
    'no blank line behind the head of a part',
    whole,
    () => '--b\r\ncontent-disposition: form-data; name="file"\r\n--b--\r\n',
  ],
  ['a head that is none', whole, () => '--b\r\n\0\0\0: \r\n\r\nx\r\n--b--\r\n'],
  ['no end', whole, (name) => `${head(name)}source,target\r\n`],
  ['an end in a head', whole, (name) => head(name).slice(0, 30)],
  ['nothing', whole, () => ''],
  ['a field of the prototype', whole, () => `${head('__proto__')}a\r\n--b--\r\n`],
  [
    'JSON that is none',
    whole,
    () => '--b\r\ncontent-disposition: form-data; name="x"\r\ncontent-type: application/json\r\n\r\n{\r\n--b--\r\n',
  ],
];

describe.each([...places, ...takingBoth])('POST %s', (url) => {
  /** @hardening api: A broken multipart body is no 400 */
  it.each(broken)('answers 400 to a form with %s', async (_, type, body) => {
    const answer = await post(url, body(fieldOf(url)), type);
    expect(answer).toMatchObject({ status: 400, problem: { code: 'VALIDATION' } });
  });
});

describe.each(places)('POST %s', (url) => {
  it('answers 415 to what is no form', async () => {
    for (const type of ['text/csv', 'application/json']) expect((await post(url, '{}', type)).status).toBe(415);
  });
});

/** @hardening api: An error does not say what would be right */
it.each(places.filter((url) => !url.includes('batches')))('POST %s says that it takes one file', async (url) => {
  const two = `${head('file')}source,target\r\n${head('file')}b\r\n--b--\r\n`;
  const { status, problem } = await post(url, two, whole);
  expect([status, problem.detail]).toEqual([400, 'The form has at most one file.']);
});
