import { AditError, isoTime, isoTimeOrNull } from '@adit/contracts';
import { ApiKeyEntity, databaseNow, inTransaction, isUuid, readPage, WorkspaceEntity } from '@adit/database';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, LessThan, type EntityManager } from 'typeorm';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { renewSigningSecret } from './signing-secret.js';
import { hashApiKey, newApiKey, shownPrefix } from '../auth/api-key.js';
import type { Caller } from '../http/caller.js';
import { Authenticator } from '../auth/authenticator.js';
import { workspacesOf } from '../auth/sessions.js';
import {
  changeKey,
  createKey,
  deleteKey,
  getKey,
  listKeys,
  readMe,
  readSecret,
  renewSecret,
  rotateKey,
} from './key-routes.js';
import { hasExpired, lockKeys, refuseLast, requireOwner, revokeKey } from './revoking.js';

/** Time for which an expired key is still listed. */
const SHOWN_EXPIRED_MS = 30 * 86_400_000;

@Controller()
export class KeysController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(readMe)
  async me(_: Input<typeof readMe>, { caller: { kind, workspaceId, keyId: id, name, role } }: Exchange) {
    const { name: of } = await this.db.manager.findOneByOrFail(WorkspaceEntity, { id: workspaceId });
    const workspace = { id: workspaceId, name: of };
    if (kind !== 'member') return { role, key: { id, name }, member: null, workspace, workspaces: [workspace] };
    return { role, key: null, member: { id, name }, workspace, workspaces: await workspacesOf(this.db, id) };
  }

  @Route(listKeys)
  async list({ query }: Input<typeof listKeys>, { caller, request }: Exchange) {
    const { member_id: makerId } = query;
    const wanted = { workspaceId: caller.workspaceId, ...(makerId === undefined ? {} : { makerId }) };
    const found = this.db.manager.createQueryBuilder(ApiKeyEntity, 'k').where(wanted);
    const { rows, total, next } = await readPage(found, query, [
      { by: 'k.timeCreated', kind: 'time' },
      { by: 'k.id', kind: 'uuid' },
    ]);
    return this.links.page(request, query, total, rows.map(shown), next);
  }

  @Route(getKey)
  async one({ params: { keyId } }: Input<typeof getKey>, { caller: { workspaceId } }: Exchange) {
    return shown(await find(this.db.manager, workspaceId, keyId));
  }

  @Route(createKey)
  async create({ body }: Input<typeof createKey>, { caller, newId: id, isDone, done }: Exchange) {
    const { name, role, requests_per_second: requestsPerSecond, jobs_per_day: jobsPerDay } = body;
    if (isDone) return this.madeAnew(id, caller);
    const { workspaceId, maker: makerId } = caller;
    return inTransaction(this.db, async (manager) => {
      await done(manager);
      return make(manager, { id, workspaceId, makerId, name, ...columnsOf(role), requestsPerSecond, jobsPerDay });
    });
  }

  @Route(changeKey)
  async change({ params: { keyId }, body }: Input<typeof changeKey>, { caller }: Exchange) {
    const { workspaceId } = caller;
    const changed = await this.alone(workspaceId, async (manager) => {
      const key = await find(manager, workspaceId, keyId);
      if (key.isOwner || body.role === 'owner') requireOwner(caller);
      if (body.role !== undefined && body.role !== 'owner') await refuseLast(manager, key, body.role !== 'admin');
      const { name = key.name, role = roleOf(key) } = body;
      const { requests_per_second: requestsPerSecond = key.requestsPerSecond } = body;
      const { jobs_per_day: jobsPerDay = key.jobsPerDay } = body;
      const columns = { name, ...columnsOf(role), requestsPerSecond, jobsPerDay };
      await manager.update(ApiKeyEntity, { id: key.id }, columns);
      return { ...key, ...columns };
    });
    this.authenticator.forget(changed.id);
    return shown(changed);
  }

  @Route(rotateKey, (own: KeysController, caller, { params }) => own.refuseOwners(caller, params.keyId))
  async rotate({ params: { keyId }, body }: Input<typeof rotateKey>, exchange: Exchange) {
    const { caller, newId: id, isDone, done } = exchange;
    if (isDone) return this.madeAnew(id, caller);
    const { workspaceId, maker: makerId } = caller;
    const made = await this.alone(workspaceId, async (manager) => {
      await done(manager);
      const key = await find(manager, workspaceId, keyId);
      if (key.isOwner) requireOwner(caller);
      const now = Number(await databaseNow(manager));
      if (hasExpired(key, now)) throw new AditError('CONFLICT', 'This key has expired; create another one.');
      const { name, role, isOwner, requestsPerSecond, jobsPerDay } = key;
      const end = Math.min(now + body.overlap_seconds * 1000, key.timeExpires?.getTime() ?? Infinity);
      await manager.update(ApiKeyEntity, { id: key.id }, { timeExpires: new Date(end) });
      await manager.delete(ApiKeyEntity, { workspaceId, timeExpires: LessThan(new Date(now - SHOWN_EXPIRED_MS)) });
      return make(manager, { id, workspaceId, makerId, name, role, isOwner, requestsPerSecond, jobsPerDay });
    });
    this.authenticator.forget(keyId.toLowerCase());
    return made;
  }

  /** The last admin key stays, or nobody could make another. */
  @Route(deleteKey)
  async delete({ params: { keyId } }: Input<typeof deleteKey>, { caller }: Exchange) {
    const { workspaceId } = caller;
    const { id } = await this.alone(workspaceId, async (manager) => {
      const key = await find(manager, workspaceId, keyId);
      await revokeKey(manager, caller, key);
      return key;
    });
    this.authenticator.forget(id);
    return { message: `API key ${keyId} was revoked.` };
  }

  @Route(readSecret)
  async secret(_: unknown, { caller }: Exchange) {
    const { signingSecret } = await this.db.manager.findOneByOrFail(WorkspaceEntity, { id: caller.workspaceId });
    return { signing_secret: signingSecret };
  }

  @Route(renewSecret)
  async renew(_: Input<typeof renewSecret>, exchange: Exchange) {
    if (exchange.isDone) return this.secret({}, exchange);
    return { signing_secret: await renewSigningSecret(this.db, exchange.caller.workspaceId, exchange.done) };
  }

  /** Replaces a key whose process died before it had shown it to anybody: another key is as good. */
  private async madeAnew(id: string, caller: Caller) {
    const { workspaceId } = caller;
    const key = newApiKey();
    const hashed = { prefix: shownPrefix(key), hash: hashApiKey(key) };
    const made = await this.alone(workspaceId, async (manager) => {
      const { isOwner } = await find(manager, workspaceId, id);
      if (isOwner) requireOwner(caller);
      await manager.update(ApiKeyEntity, { id }, hashed);
      return find(manager, workspaceId, id);
    });
    this.authenticator.forget(id);
    return { ...shown(made), key };
  }

  /** Whoever is no owner must not learn by an Idempotency-Key that the key of one was rotated. */
  private async refuseOwners(caller: Caller, id: string): Promise<void> {
    const { workspaceId } = caller;
    const isOwners = isUuid(id) && (await this.db.manager.existsBy(ApiKeyEntity, { id, workspaceId, isOwner: true }));
    if (isOwners) requireOwner(caller);
  }

  private alone<T>(workspaceId: string, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return inTransaction(this.db, async (manager) => {
      await lockKeys(manager, workspaceId);
      return work(manager);
    });
  }
}

type NewKey = Pick<
  ApiKeyEntity,
  'id' | 'workspaceId' | 'makerId' | 'name' | 'role' | 'isOwner' | 'requestsPerSecond' | 'jobsPerDay'
>;

async function make(manager: EntityManager, columns: NewKey) {
  const key = newApiKey();
  await manager.insert(ApiKeyEntity, { ...columns, prefix: shownPrefix(key), hash: hashApiKey(key) });
  return { ...shown(await manager.findOneByOrFail(ApiKeyEntity, { id: columns.id })), key };
}

async function find(manager: EntityManager, workspaceId: string, id: string): Promise<ApiKeyEntity> {
  const key = isUuid(id) ? await manager.findOneBy(ApiKeyEntity, { id, workspaceId }) : null;
  if (key === null) throw new AditError('NOT_FOUND', `There is no API key ${id}.`);
  return key;
}

function roleOf({ isOwner, role }: Pick<ApiKeyEntity, 'isOwner' | 'role'>) {
  return isOwner ? ('owner' as const) : role;
}

function columnsOf(role: ReturnType<typeof roleOf>): Pick<ApiKeyEntity, 'isOwner' | 'role'> {
  return { isOwner: role === 'owner', role: role === 'owner' ? 'admin' : role };
}

function shown(key: ApiKeyEntity) {
  const { id, name, prefix, requestsPerSecond, jobsPerDay, timeCreated, timeLastUsed, timeExpires } = key;
  return {
    id,
    name,
    prefix,
    role: roleOf(key),
    requests_per_second: requestsPerSecond,
    jobs_per_day: jobsPerDay,
    time_created: isoTime(timeCreated),
    time_last_used: isoTimeOrNull(timeLastUsed),
    time_expires: isoTimeOrNull(timeExpires),
  };
}
