import { AditError } from '@adit/contracts';
import { AccessKeyEntity, ApiKeyEntity, databaseNow, WorkspaceEntity } from '@adit/database';
import { IsNull, Not, type EntityManager, type FindOptionsWhere } from 'typeorm';
import type { Caller } from '../http/caller.js';
import { OWNERS_KEY } from './key-routes.js';

/** To be held while keys change: two admins must not revoke each other at the same moment. */
export async function lockKeys(manager: EntityManager, workspaceId: string): Promise<void> {
  await manager.findOne(WorkspaceEntity, { where: { id: workspaceId }, lock: { mode: 'pessimistic_write' } });
}

/** Throws FORBIDDEN for a key of the role owner where another role asks, CONFLICT for the last admin key: nobody could make another. */
export async function revokeKey(manager: EntityManager, caller: Caller, key: ApiKeyEntity): Promise<void> {
  if (key.isOwner) requireOwner(caller);
  await refuseLast(manager, key, true);
  await manager.delete(ApiKeyEntity, { id: key.id });
}

/**
 * Revokes the keys that a member made, and those that these made; answers their ids. `lockKeys` has to be held. Throws what
 * `revokeKey` does.
 */
export async function revokeKeysOf(
  manager: EntityManager,
  caller: Caller,
  memberId: string,
): Promise<{ apiKeys: string[]; accessKeys: string[] }> {
  const made = { workspaceId: caller.workspaceId, makerId: memberId };
  const apiKeys = await manager.findBy(ApiKeyEntity, made);
  for (const key of apiKeys) await revokeKey(manager, caller, key);
  const accessKeys = await manager.findBy(AccessKeyEntity, made);
  await manager.delete(AccessKeyEntity, made);
  return { apiKeys: apiKeys.map(({ id }) => id), accessKeys: accessKeys.map(({ key }) => key) };
}

export function requireOwner({ role }: Caller): void {
  if (role !== 'owner') throw new AditError('FORBIDDEN', OWNERS_KEY);
}

export function hasExpired({ timeExpires }: ApiKeyEntity, now: number): boolean {
  return timeExpires !== null && timeExpires.getTime() <= now;
}

/** The last owner stays, and where `asAdmin` is lost, the last admin of the workspace. */
export async function refuseLast(manager: EntityManager, key: ApiKeyEntity, asAdmin: boolean): Promise<void> {
  if (key.timeExpires !== null && hasExpired(key, Number(await databaseNow(manager)))) return;
  if (key.isOwner) await refuseAlone(manager, key, { isOwner: true }, 'This is the last owner key');
  if (key.role !== 'admin' || !asAdmin) return;
  const { workspaceId } = key;
  await refuseAlone(
    manager,
    key,
    { workspaceId, role: 'admin' },
    'This is the last admin key; create another one first',
  );
}

async function refuseAlone(
  manager: EntityManager,
  { id }: ApiKeyEntity,
  where: FindOptionsWhere<ApiKeyEntity>,
  why: string,
): Promise<void> {
  // One that will expire is none to rely on.
  if (!(await manager.existsBy(ApiKeyEntity, { ...where, id: Not(id), timeExpires: IsNull() }))) {
    throw new AditError('CONFLICT', `${why}.`);
  }
}
