import { randomUUID } from 'node:crypto';
import { ApiKeyEntity, openDatabase, WorkspaceEntity, type Database } from '@adit/database';
import { loadConfig } from '@adit/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccessTokens } from './access-tokens.js';
import { hashApiKey, newApiKey, shownPrefix } from './api-key.js';
import { Authenticator } from './authenticator.js';
import { Sessions } from './sessions.js';
import { SignInSettings } from './sign-in-settings.js';

const ADDRESS = '198.51.100.1';

describe('an API key', () => {
  let database: Database;
  let authenticator: Authenticator;
  const workspaceId = randomUUID();
  beforeAll(async () => {
    database = await openDatabase({ driver: 'pglite', directory: null });
    const { dataSource } = database;
    const sessions = new Sessions(dataSource, { ...loadConfig(SignInSettings, {}), console: true });
    authenticator = new Authenticator(dataSource, new AccessTokens(dataSource), sessions);
    await dataSource.manager.insert(WorkspaceEntity, { id: workspaceId, name: 'w', signingSecret: 's' });
  });
  afterAll(() => database?.close());

  async function made(more: Partial<ApiKeyEntity> = {}) {
    const [id, key] = [randomUUID(), newApiKey()];
    const row = {
      id,
      workspaceId,
      name: 'n',
      prefix: shownPrefix(key),
      hash: hashApiKey(key),
      role: 'member' as const,
    };
    await database.dataSource.manager.insert(ApiKeyEntity, { ...row, isOwner: false, ...more });
    const used = async (): Promise<Date | null> =>
      (await database.dataSource.manager.findOneByOrFail(ApiKeyEntity, { id })).timeLastUsed;
    /** Looked up anew, whatever is remembered of it. */
    const use = () => {
      authenticator.forget(id);
      return authenticator.authenticate({ authorization: `Key ${key}` }, ADDRESS);
    };
    return { id, key, used, use };
  }

  it('says whose it is, by its role and its limits', async () => {
    const { id, use } = await made({ requestsPerSecond: 7, jobsPerDay: 9 });
    expect(await use()).toEqual({
      kind: 'api-key',
      workspaceId,
      keyId: id,
      signer: id,
      countedAs: id,
      maker: null,
      name: 'n',
      role: 'member',
      limits: { requestsPerSecond: 7, jobsPerDay: 9 },
      scopes: [],
      exportStrategies: null,
    });
    expect(await (await made({ role: 'admin', isOwner: true })).use()).toMatchObject({ role: 'owner' });
  });

  it('a key is noted as used once a minute, and no other with it', async () => {
    const [one, other] = [await made(), await made()];
    const began = Date.now();
    await one.use();
    while ((await one.used()) === null);
    expect(Number(await one.used())).toBeGreaterThanOrEqual(began - 1);
    expect(await other.used()).toBeNull();
    const recent = new Date(Date.now() - 30_000);
    await database.dataSource.manager.update(ApiKeyEntity, { id: one.id }, { timeLastUsed: recent });
    await one.use();
    // Statements of an embedded database come one after the other.
    expect(await one.used()).toEqual(recent);
    const earlier = new Date(Date.now() - 61_000);
    await database.dataSource.manager.update(ApiKeyEntity, { id: one.id }, { timeLastUsed: earlier });
    await one.use();
    while (Number(await one.used()) === Number(earlier));
    expect(Number(await one.used())).toBeGreaterThan(Number(recent));
  });

  it('a key is good until its time is over, and as it is written', async () => {
    const soon = await made({ timeExpires: new Date(Date.now() + 3_600_000) });
    expect(await soon.use()).toMatchObject({ keyId: soon.id });
    const over = await made({ timeExpires: new Date(Date.now() - 1_000) });
    await expect(over.use()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const { key } = soon;
    for (const header of [`key ${key}`, `KEY ${key}`]) {
      expect(await authenticator.authenticate({ authorization: header }, ADDRESS)).toMatchObject({ keyId: soon.id });
    }
    for (const header of [
      undefined,
      '',
      key,
      `Key  ${key}`,
      `Key ${key} `,
      ` Key ${key}`,
      `Key ${key}x`,
      'Key ',
      `Key ${'x'.repeat(257)}`,
    ]) {
      const asked = authenticator.authenticate({ authorization: header }, ADDRESS);
      await expect(asked).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
  });
});
