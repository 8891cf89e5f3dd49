import { randomUUID } from 'node:crypto';
import { AditError, isoTime, isoTimeOrNull } from '@adit/contracts';
import { ApiKeyEntity, inTransaction, WorkspaceEntity } from '@adit/database';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, LessThan, type EntityManager } from 'typeorm';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { isUuid } from '../http/shapes.js';
import { renewSigningSecret } from '../webhooks/signing-secret.js';
import { hashApiKey, newApiKey, shownPrefix } from './api-key.js';
import { Authenticator } from './authenticator.js';
import { changeKey, createKey, deleteKey, getKey, listKeys, readSecret, renewSecret, rotateKey } from './key-routes.js';

/** For how long a key that has expired is still listed. */
const SHOWN_EXPIRED_MS = 30 * 86_400_000;

@Controller()
export class KeysController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(listKeys)
  async list({ query }: Input<typeof listKeys>, { caller, request }: Exchange) {
    const [rows, total] = await this.db.manager.findAndCount(ApiKeyEntity, {
      where: { workspaceId: caller.workspaceId },
      order: { timeCreated: 'ASC', id: 'ASC' },
      skip: query.offset,
      take: query.limit,
    });
    return this.links.page(request, query, total, rows.map(shown));
  }

  @Route(getKey)
  async one({ params: { keyId } }: Input<typeof getKey>, { caller: { workspaceId } }: Exchange) {
    return shown(await find(this.db.manager, workspaceId, keyId));
  }

  @Route(createKey)
  create({ body }: Input<typeof createKey>, { caller: { workspaceId } }: Exchange) {
    const { name, role, requests_per_second: requestsPerSecond, jobs_per_day: jobsPerDay } = body;
    return make(this.db.manager, { workspaceId, name, role, requestsPerSecond, jobsPerDay });
  }

  @Route(changeKey)
  async change({ params: { keyId }, body }: Input<typeof changeKey>, { caller: { workspaceId } }: Exchange) {
    const changed = await this.alone(workspaceId, async (manager) => {
      const key = await find(manager, workspaceId, keyId);
      if (body.role !== undefined && body.role !== 'admin') await refuseLastAdmin(manager, key);
      const { name = key.name, role = key.role } = body;
      const { requests_per_second: requestsPerSecond = key.requestsPerSecond } = body;
      const { jobs_per_day: jobsPerDay = key.jobsPerDay } = body;
      const columns = { name, role, requestsPerSecond, jobsPerDay };
      await manager.update(ApiKeyEntity, { id: key.id }, columns);
      return { ...key, ...columns };
    });
    this.authenticator.forget(changed.id);
    return shown(changed);
  }

  @Route(rotateKey)
  async rotate({ params: { keyId }, body }: Input<typeof rotateKey>, { caller: { workspaceId } }: Exchange) {
    const now = Date.now();
    const made = await this.alone(workspaceId, async (manager) => {
      const key = await find(manager, workspaceId, keyId);
      if (hasExpired(key)) throw new AditError('CONFLICT', 'This key has expired; create another one.');
      const { name, role, requestsPerSecond, jobsPerDay } = key;
      const end = Math.min(now + body.overlap_seconds * 1000, key.timeExpires?.getTime() ?? Infinity);
      await manager.update(ApiKeyEntity, { id: key.id }, { timeExpires: new Date(end) });
      await manager.delete(ApiKeyEntity, { workspaceId, timeExpires: LessThan(new Date(now - SHOWN_EXPIRED_MS)) });
      return make(manager, { workspaceId, name, role, requestsPerSecond, jobsPerDay });
    });
    this.authenticator.forget(keyId.toLowerCase());
    return made;
  }

  /** The last admin key stays, or nobody could make another. */
  @Route(deleteKey)
  async delete({ params: { keyId } }: Input<typeof deleteKey>, { caller: { workspaceId } }: Exchange) {
    const { id } = await this.alone(workspaceId, async (manager) => {
      const key = await find(manager, workspaceId, keyId);
      await refuseLastAdmin(manager, key);
      await manager.delete(ApiKeyEntity, { id: key.id });
      return key;
    });
    this.authenticator.forget(id);
    return { message: `API key ${keyId} was revoked.` };
  }

  @Route(readSecret)
  async secret(_: Input<typeof readSecret>, { caller }: Exchange) {
    const { signingSecret } = await this.db.manager.findOneByOrFail(WorkspaceEntity, { id: caller.workspaceId });
    return { signing_secret: signingSecret };
  }

  @Route(renewSecret)
  async renew(_: Input<typeof renewSecret>, { caller }: Exchange) {
    return { signing_secret: await renewSigningSecret(this.db, caller.workspaceId) };
  }

  /** Two admins must not revoke each other at the same moment. */
  private alone<T>(workspaceId: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return inTransaction(this.db, async (manager) => {
      await manager.findOne(WorkspaceEntity, { where: { id: workspaceId }, lock: { mode: 'pessimistic_write' } });
      return work(manager);
    });
  }
}

type NewKey = Pick<ApiKeyEntity, 'workspaceId' | 'name' | 'role' | 'requestsPerSecond' | 'jobsPerDay'>;

async function make(manager: EntityManager, columns: NewKey) {
  const key = newApiKey();
  const id = randomUUID();
  await manager.insert(ApiKeyEntity, { ...columns, id, prefix: shownPrefix(key), hash: hashApiKey(key) });
  return { ...shown(await manager.findOneByOrFail(ApiKeyEntity, { id })), key };
}

async function find(manager: EntityManager, workspaceId: string, id: string): Promise<ApiKeyEntity> {
  const key = isUuid(id) ? await manager.findOneBy(ApiKeyEntity, { id, workspaceId }) : null;
  if (key === null) throw new AditError('NOT_FOUND', `There is no API key ${id}.`);
  return key;
}

async function refuseLastAdmin(manager: EntityManager, key: ApiKeyEntity): Promise<void> {
  if (key.role !== 'admin' || hasExpired(key)) return;
  const admins = await manager.findBy(ApiKeyEntity, { workspaceId: key.workspaceId, role: 'admin' });
  // One that will expire is none to rely on.
  if (admins.some(({ id, timeExpires }) => id !== key.id && timeExpires === null)) return;
  throw new AditError('CONFLICT', 'This is the last admin key; create another one first.');
}

function hasExpired({ timeExpires }: ApiKeyEntity): boolean {
  return timeExpires !== null && timeExpires.getTime() <= Date.now();
}

function shown(key: ApiKeyEntity) {
  const { id, name, prefix, role, requestsPerSecond, jobsPerDay, timeCreated, timeLastUsed, timeExpires } = key;
  return {
    id,
    name,
    prefix,
    role,
    requests_per_second: requestsPerSecond,
    jobs_per_day: jobsPerDay,
    time_created: isoTime(timeCreated),
    time_last_used: isoTimeOrNull(timeLastUsed),
    time_expires: isoTimeOrNull(timeExpires),
  };
}
