import { randomUUID } from 'node:crypto';
import { AditError, isoTime, isoTimeOrNull } from '@adit/contracts';
import { ApiKeyEntity, inTransaction, WorkspaceEntity } from '@adit/database';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { isUuid } from '../http/shapes.js';
import { hashApiKey, newApiKey, newSigningSecret, shownPrefix } from './api-key.js';
import { Authenticator } from './authenticator.js';
import { createKey, deleteKey, listKeys, readSecret, renewSecret } from './key-routes.js';

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

  @Route(createKey)
  async create({ body: { name, role } }: Input<typeof createKey>, { caller: { workspaceId } }: Exchange) {
    const key = newApiKey();
    const id = randomUUID();
    await this.db.manager.insert(ApiKeyEntity, {
      id,
      workspaceId,
      name,
      prefix: shownPrefix(key),
      hash: hashApiKey(key),
      role,
    });
    return { ...shown(await this.db.manager.findOneByOrFail(ApiKeyEntity, { id })), key };
  }

  /** The last admin key stays, or nobody could make another. */
  @Route(deleteKey)
  async delete({ params: { keyId } }: Input<typeof deleteKey>, { caller: { workspaceId } }: Exchange) {
    await inTransaction(this.db, async (manager) => {
      // Two admins must not revoke each other at the same moment.
      await manager.findOne(WorkspaceEntity, { where: { id: workspaceId }, lock: { mode: 'pessimistic_write' } });
      const key = isUuid(keyId) ? await manager.findOneBy(ApiKeyEntity, { id: keyId, workspaceId }) : null;
      if (key === null) throw new AditError('NOT_FOUND', `There is no API key ${keyId}.`);
      const admins = await manager.countBy(ApiKeyEntity, { workspaceId, role: 'admin' });
      if (key.role === 'admin' && admins === 1) {
        throw new AditError('CONFLICT', 'This is the last admin key; create another one first.');
      }
      await manager.delete(ApiKeyEntity, { id: keyId });
    });
    this.authenticator.forget(keyId.toLowerCase());
    return { message: `API key ${keyId} was revoked.` };
  }

  @Route(readSecret)
  async secret(_: Input<typeof readSecret>, { caller }: Exchange) {
    const { signingSecret } = await this.db.manager.findOneByOrFail(WorkspaceEntity, { id: caller.workspaceId });
    return { signing_secret: signingSecret };
  }

  @Route(renewSecret)
  async renew(_: Input<typeof renewSecret>, { caller }: Exchange) {
    const signingSecret = newSigningSecret();
    await this.db.manager.update(WorkspaceEntity, { id: caller.workspaceId }, { signingSecret });
    return { signing_secret: signingSecret };
  }
}

function shown({ id, name, prefix, role, timeCreated, timeLastUsed }: ApiKeyEntity) {
  return {
    id,
    name,
    prefix,
    role,
    time_created: isoTime(timeCreated),
    time_last_used: isoTimeOrNull(timeLastUsed),
  };
}
