/** @needs weights */
import { StorageCredentials } from '@adit/contracts';
import { accessOfBucket } from '@adit/storage-credentials';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type Answer, type TestGateway } from '../testing/gateway.js';

const encryptionKey = 'a key of the specs, long enough to be one';
const SECRET = 'wJalrXUtnFEMI/K7MDENG';
const body = {
  bucket: 'newsroom-archive',
  endpoint: 'https://s3.example.org:9000',
  region: 'eu-central-1',
  access_key: 'AKIDEXAMPLE',
  secret_key: SECRET,
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ encryptionKey });
}, BOOT_MS);
afterAll(() => gateway?.close());

const URL_OF_ALL = '/api/v1/storage-credentials/';
const post = (fields: object, of = gateway): Promise<Answer> => of.ask('POST', URL_OF_ALL, { ...body, ...fields });
async function stored(fields: object): Promise<StorageCredentials> {
  const answer = await post(fields);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return StorageCredentials.parse(answer.json());
}
const job = (source: string, query = ''): Promise<Answer> =>
  gateway.ask('POST', `/api/v1/jobs/${query}`, { sources: [source], modules: { face_recognition: {} } });

/** Texts of all rows of all tables. */
async function rows(): Promise<string> {
  const tables: { name: string }[] = await gateway.db.query(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const found: { text: string }[] = await gateway.db.query(`SELECT to_jsonb(t)::text AS text FROM "${name}" t`);
    texts.push(...found.map(({ text }) => text));
  }
  return texts.join('\n');
}

describe('storage credentials', () => {
  /** @hardening privacy: A secret key of a bucket is shown or stored in clear */
  it('are shown without their secret key, which is stored encrypted alone', async () => {
    const made = await post({}, gateway);
    const { id } = made.json<{ id: string }>();
    const { secret_key: _, ...shown } = body;
    const expected = { id, ...shown, path_style: true };
    expect(made.json()).toMatchObject(expected);
    const read = await gateway.ask('GET', `${URL_OF_ALL}${id}/`);
    expect(StorageCredentials.parse(read.json())).toMatchObject(expected);
    const list = await gateway.ask('GET', URL_OF_ALL);
    expect(list.json()).toEqual([read.json()]);
    const replaced = await gateway.ask('PUT', `${URL_OF_ALL}${id}/`, { ...body, endpoint: 'https://s3.example.com/' });
    expect(replaced.json()).toMatchObject({ ...expected, endpoint: 'https://s3.example.com', region: body.region });
    const audit = await gateway.ask('GET', '/api/v1/audit-log/?resource=storage-credentials');
    expect(audit.json<{ data: object[] }>().data).toMatchObject([
      { action: 'replaced', resource_id: id, fields: expect.arrayContaining(['secret_key']) },
      { action: 'created', resource_id: id, fields: expect.arrayContaining(['secret_key']) },
    ]);
    for (const text of [made.text, read.text, list.text, replaced.text, audit.text, await rows()]) {
      expect(text).not.toContain(SECRET);
    }
    const opened = { workspaceId: gateway.workspaceId, bucket: body.bucket };
    expect(await accessOfBucket(gateway.db.manager, opened, encryptionKey)).toEqual({
      ...{ endpoint: 'https://s3.example.com', region: body.region, pathStyle: true },
      ...{ accessKey: body.access_key, secretKey: SECRET },
    });
    await expect(accessOfBucket(gateway.db.manager, opened, 'another key'.repeat(4))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect((await gateway.ask('DELETE', `${URL_OF_ALL}${id}/`)).status).toBe(200);
    expect((await gateway.ask('GET', `${URL_OF_ALL}${id}/`)).status).toBe(404);
  });

  it('are one for each bucket', async () => {
    const [{ id }, other] = [await stored({ bucket: 'first' }), await stored({ bucket: 'second' })];
    expect((await post({ bucket: 'first' })).status).toBe(409);
    const moved = await gateway.ask('PUT', `${URL_OF_ALL}${other.id}/`, { ...body, bucket: 'first' });
    expect([moved.status, moved.json()['detail']]).toEqual([409, expect.stringContaining('bucket first')]);
    expect((await gateway.ask('PUT', `${URL_OF_ALL}${id}/`, { ...body, bucket: 'first' })).status).toBe(200);
  });

  it('are for admins alone', async () => {
    const { id } = await stored({ bucket: 'for-admins' });
    const made = await gateway.ask('POST', '/api/v1/api-keys/', { name: 'member', role: 'member' });
    const member = { authorization: `Key ${made.json<{ key: string }>().key}` };
    const asked = [
      await gateway.ask('GET', URL_OF_ALL, undefined, member),
      await gateway.ask('POST', URL_OF_ALL, { ...body, bucket: 'of-a-member' }, member),
      await gateway.ask('GET', `${URL_OF_ALL}${id}/`, undefined, member),
      await gateway.ask('PUT', `${URL_OF_ALL}${id}/`, body, member),
      await gateway.ask('DELETE', `${URL_OF_ALL}${id}/`, undefined, member),
    ];
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 403));
  });

  it.each([
    ['endpoint', 'http://s3.example.org', 'endpoint'],
    ['endpoint', 'https://10.0.0.1:9000', 'endpoint'],
    ['endpoint', 'https://localhost', 'endpoint'],
    ['endpoint', 'https://me:secret@s3.example.org', 'endpoint'],
    ['endpoint', 'https://s3.example.org/bucket', 'endpoint'],
    ['endpoint', 'file:///etc/passwd', 'endpoint'],
    ['bucket', 'Newsroom', 'bucket'],
    ['bucket', 'a/b', 'bucket'],
    ['region', 'eu central', 'region'],
    ['access_key', 'a, b', 'access_key'],
    ['secret_key', '', 'secret_key'],
    ['secret_key', undefined, 'secret_key'],
  ])('are refused with the %s %s', async (field, value, pointer) => {
    const { status, json } = await post({ bucket: 'refused', [field]: value });
    expect([status, json<{ errors: object[] }>().errors]).toMatchObject([400, [{ pointer: `/${pointer}` }]]);
  });

  it(
    'are refused where nothing encrypts them',
    async () => {
      const plain = await startGateway();
      try {
        const refused = await post({}, plain);
        expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('ADIT_ENCRYPTION_KEY')]);
        expect(refused.text).not.toContain(SECRET);
      } finally {
        await plain.close();
      }
    },
    BOOT_MS,
  );

  it('let jobs of the workspace name objects of their bucket', async () => {
    const source = 's3://opened/2026/evening%20news.mp4';
    const refused = await job(source);
    expect([refused.status, refused.json()]).toMatchObject([
      400,
      {
        code: 'SOURCE_REFUSED',
        errors: [{ pointer: '/sources/0', message: expect.stringContaining('bucket opened') }],
      },
    ]);
    await stored({ bucket: 'opened' });
    const posted = await job(source);
    expect([posted.status, posted.json()]).toMatchObject([200, { sources: [source], media_type: 'video' }]);
    expect((await job('s3://opened/')).status).toBe(400);
    await gateway.ask('POST', `/api/v1/jobs/${posted.json<{ id: string }>().id}/stop/`);
  });
});
