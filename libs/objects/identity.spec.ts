/** @needs servers */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describeWith, uniqueName } from '@adit/testing';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { AssumeRoleProvider } from 'minio/dist/esm/AssumeRoleProvider.mjs';
import type { Identity, MinioConfig } from './config.js';
import { identityOf } from './minio/identity-settings.js';
import { MinioObjectStore } from './minio/minio.js';
import { objectsConfig, ObjectsSettings } from './settings.js';

const ROLE = 'arn:aws:iam::123456789012:role/adit';
const settings = (more: object) => ({ ...ObjectsSettings.parse({}), objectsDriver: 'minio' as const, ...more });

it('an identity replaces keys that are not set, by what the cloud says of the process', () => {
  const web = { awsWebIdentityTokenFile: '/token', awsRoleArn: ROLE };
  expect(identityOf(web, 'eu-central-1')).toEqual({
    kind: 'web-identity',
    tokenFile: '/token',
    roleArn: ROLE,
    region: 'eu-central-1',
  });
  expect(identityOf({ awsContainerPath: '/v2/x' }, 'r')).toMatchObject({ uri: 'http://169.254.170.2/v2/x' });
  expect(identityOf({ s3InstanceCredentials: true }, 'r')).toEqual({ kind: 'instance' });
  const s3Endpoint = 'http://store:9000';
  expect(objectsConfig(settings({ ...web, s3Endpoint }), '/data')).toMatchObject({
    identity: { kind: 'web-identity' },
  });
  // Keys that are set count.
  const keys = { s3AccessKey: 'a', s3SecretKey: 's' };
  expect(objectsConfig(settings({ ...web, ...keys, s3Endpoint }), '/data')).toMatchObject({ accessKey: 'a' });
});

it.each([
  [{}, /set S3_ACCESS_KEY and S3_SECRET_KEY, or let the process have an identity/],
  [{ s3AccessKey: 'a' }, /set S3_SECRET_KEY/],
  [{ awsWebIdentityTokenFile: '/token' }, /set AWS_ROLE_ARN/],
])('a missing variable is reported: %j', (more, sentence) => {
  expect(() => objectsConfig(settings({ s3Endpoint: 'http://store:9000', ...more }), '/data')).toThrow(sentence);
});

await describeWith('minio', 'a process without keys', ({ minio }) => {
  const folder = mkdtempSync(join(tmpdir(), 'adit-identity-'));
  const tokenFile = join(folder, 'token');
  const bucket = uniqueName('bucket');
  const stores: MinioObjectStore[] = [];
  let server: Server;
  let url: string;
  /** Paths that were asked for, and what is to become of the next. */
  const asked: string[] = [];
  let mood: 'gives' | 'refuses' | 'is silent' | 'fails' = 'gives';
  let seconds = 3_600;

  /** Keys of a session that MinIO itself knows, said to end sooner. */
  async function session() {
    const { accessKey, secretKey } = minio;
    const asking = { stsEndpoint: minio.endpoint, accessKey, secretKey, durationSeconds: 3_600, action: 'AssumeRole' };
    const given = await new AssumeRoleProvider(asking).getCredentials();
    return {
      AccessKeyId: given.getAccessKey(),
      SecretAccessKey: given.getSecretKey(),
      Token: given.getSessionToken(),
      Expiration: new Date(Date.now() + seconds * 1000).toISOString(),
    };
  }

  /** Answers as STS, an agent of containers and a metadata service are documented to do. */
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, 'http://here');
    asked.push(pathname);
    const body = await text(request);
    if (mood === 'is silent') return;
    if (mood === 'fails') return void response.writeHead(503).end();
    if (pathname === '/latest/api/token') return void response.end('a-token-of-imds');
    const ofImds = request.headers['x-aws-ec2-metadata-token'] === 'a-token-of-imds';
    if (pathname === '/latest/meta-data/iam/security-credentials/') return void response.end(ofImds ? 'adit' : '');
    if (pathname === '/latest/meta-data/iam/security-credentials/adit' && ofImds) {
      return void response.end(JSON.stringify({ Code: 'Success', Type: 'AWS-HMAC', ...(await session()) }));
    }
    if (pathname === '/v1/credentials' && request.headers.authorization === 'a-token') {
      return void response.end(JSON.stringify(await session()));
    }
    const form = new URLSearchParams(body);
    const isTrusted = form.get('WebIdentityToken') === 'a-token' && form.get('RoleArn') === ROLE;
    if (form.get('Action') !== 'AssumeRoleWithWebIdentity' || mood === 'refuses' || !isTrusted) {
      const error =
        '<Error><Type>Sender</Type><Code>AccessDenied</Code><Message>Not authorized to perform sts:AssumeRoleWithWebIdentity</Message></Error>';
      response.writeHead(403, { 'content-type': 'text/xml' });
      return void response.end(
        `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${error}<RequestId>1</RequestId></ErrorResponse>`,
      );
    }
    const { Token, ...keys } = await session();
    const inner = Object.entries({ ...keys, SessionToken: Token }).map(
      ([name, value]) => `<${name}>${value}</${name}>`,
    );
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.end(
      '<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>' +
        `<Credentials>${inner.join('')}</Credentials><AssumedRoleUser><Arn>${ROLE}/x</Arn><AssumedRoleId>A:x</AssumedRoleId></AssumedRoleUser>` +
        '</AssumeRoleWithWebIdentityResult><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></AssumeRoleWithWebIdentityResponse>',
    );
  }

  beforeAll(async () => {
    writeFileSync(tokenFile, 'a-token\n');
    server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // The library's own setting: a metadata service has an address that no test may have.
    process.env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] = url;
  });
  afterEach(() => {
    asked.length = 0;
    mood = 'gives';
    seconds = 3_600;
  });
  afterAll(async () => {
    for (const store of stores) store.close();
    server.closeAllConnections();
    server.close();
    delete process.env['AWS_EC2_METADATA_SERVICE_ENDPOINT'];
    rmSync(folder, { recursive: true, force: true });
  });

  const web = (more: object = {}): Identity => ({
    ...{ kind: 'web-identity', tokenFile, roleArn: ROLE, region: 'us-east-1', stsEndpoint: url },
    ...more,
  });
  async function open(identity: Identity, more: Partial<MinioConfig> = {}): Promise<MinioObjectStore> {
    const { endpoint } = minio;
    const store = await MinioObjectStore.open({
      driver: 'minio',
      endpoint,
      bucket,
      identity,
      connectSeconds: 60,
      ...more,
    });
    stores.push(store);
    return store;
  }
  const exchanges = () => asked.filter((path) => path === '/').length;

  it.each<[string, () => Identity]>([
    ['a web identity at STS', () => web()],
    ['the agent of its container', () => ({ kind: 'container', uri: `${url}/v1/credentials`, tokenFile })],
    ['the metadata service of its machine', () => ({ kind: 'instance' })],
  ])('works with keys of a session from %s', async (_, identity) => {
    writeFileSync(tokenFile, 'a-token');
    const store = await open(identity());
    await store.put('media/a', Buffer.from('one'));
    expect((await store.read('media/a')).toString()).toBe('one');
    expect(await (await fetch(await store.presign('media/a', 60))).text()).toBe('one');
    await store.deletePrefix('');
  });

  it('asks once for all that work at the same time, and again before the keys end', async () => {
    seconds = 4;
    const store = await open(web());
    const read = () => Promise.all(Array.from({ length: 20 }, () => store.stat('media/none')));
    await read();
    expect(exchanges()).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await read();
    expect(exchanges()).toBe(2);
  });

  it('goes on with keys that hold while nobody renews them, and says UNAVAILABLE when they have ended', async () => {
    seconds = 6;
    const store = await open(web());
    mood = 'fails';
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    expect(await store.stat('media/none')).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await expect(store.stat('media/none')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/STS \(http.*\) gives no keys.* \(HTTP 503\)\.$/),
    });
    mood = 'gives';
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await store.stat('media/none')).toBeNull();
  }, 60_000);

  it.each<[string, () => Identity, RegExp]>([
    [
      'a role that does not trust it',
      () => web({ roleArn: `${ROLE}-of-others` }),
      /AccessDenied: HTTP 403: Not authorized.*\)\.$/,
    ],
    ['a token that is not there', () => web({ tokenFile: join(folder, 'none') }), /the token cannot be read: ENOENT/],
  ])('does not wait at the start for %s', async (_, identity, why) => {
    const began = Date.now();
    await expect(open(identity())).rejects.toMatchObject({ code: 'VALIDATION', message: expect.stringMatching(why) });
    expect(Date.now() - began).toBeLessThan(10_000);
  });

  it.each<[string, () => Identity, RegExp]>([
    ['STS', () => web(), /STS .* gives no keys for the object store: check AWS_ROLE_ARN/],
    [
      'the agent',
      () => ({ kind: 'container', uri: `${url}/v1/credentials`, tokenFile }),
      /The agent at .* gives no keys/,
    ],
    [
      'the metadata service',
      () => ({ kind: 'instance' }),
      /needs a role, IMDSv2, and from a container a hop limit of 2/,
    ],
  ])(
    'gives up %s that is silent, within seconds',
    async (_, identity, why) => {
      mood = 'is silent';
      const began = Date.now();
      await expect(open(identity(), { connectSeconds: 0 })).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringMatching(why),
      });
      expect(Date.now() - began).toBeLessThan(15_000);
    },
    60_000,
  );
});
