import { randomBytes } from 'node:crypto';
import { AccessScope, AditError, EXPORT_STRATEGIES, isoTime, type AccessKey } from '@adit/contracts';
import { AccessKeyEntity, inTransaction, readPage } from '@adit/database';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { askedPage } from '../http/shapes.js';
import { shortIdOf } from '../http/short-id.js';
import {
  changeAccessKey,
  createAccessKey,
  deleteAccessKey,
  getAccessKey,
  listAccessKeys,
  replaceAccessKey,
} from './access-key-routes.js';
import { reachedExports } from '../auth/access-scopes.js';
import { AccessTokens } from '../auth/access-tokens.js';

@Controller()
export class AccessKeysController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(listAccessKeys)
  async list({ query }: Input<typeof listAccessKeys>, { caller: { workspaceId }, request }: Exchange) {
    const page = askedPage(query);
    const { member_id: makerId } = query;
    const wanted = { workspaceId, ...(makerId === undefined ? {} : { makerId }) };
    const found = this.db.manager.createQueryBuilder(AccessKeyEntity, 'k').where(wanted);
    const { rows, total, next } = await readPage(found, page ?? query, [
      { by: 'k.timeCreated', kind: 'time' },
      { by: 'k.key', kind: 'text' },
    ]);
    const keys = rows.map(shown);
    return page === null ? keys : this.links.page(request, page, total, keys, next);
  }

  @Route(createAccessKey)
  async create({ body }: Input<typeof createAccessKey>, { caller, newId, isDone, done }: Exchange) {
    const { workspaceId, maker: makerId } = caller;
    const key = shortIdOf(newId);
    if (!isDone) {
      const { name, scopes, export_strategies: strategies } = body;
      const row = {
        ...{ key, workspaceId, makerId, name, secret: randomBytes(32).toString('base64url') },
        scopes: distinct(AccessScope.options, scopes),
        exportStrategies: distinct(EXPORT_STRATEGIES, strategies),
      };
      await inTransaction(this.db, async (manager) => {
        await done(manager);
        await manager.insert(AccessKeyEntity, row);
      });
    }
    const row = await this.row(workspaceId, key);
    return { ...shown(row), secret: row.secret };
  }

  @Route(getAccessKey)
  async one({ params }: Input<typeof getAccessKey>, { caller }: Exchange) {
    return shown(await this.row(caller.workspaceId, params.accessKey));
  }

  @Route(replaceAccessKey)
  replace({ params, body }: Input<typeof replaceAccessKey>, { caller }: Exchange) {
    return this.update(caller.workspaceId, params.accessKey, body);
  }

  @Route(changeAccessKey)
  change({ params, body }: Input<typeof changeAccessKey>, { caller }: Exchange) {
    return this.update(caller.workspaceId, params.accessKey, body);
  }

  @Route(deleteAccessKey)
  async delete({ params: { accessKey: key } }: Input<typeof deleteAccessKey>, { caller: { workspaceId } }: Exchange) {
    await this.row(workspaceId, key);
    await this.db.manager.delete(AccessKeyEntity, { workspaceId, key });
    this.tokens.forget(key);
    return { message: `Access key ${key} was revoked.` };
  }

  private async update(
    workspaceId: string,
    key: string,
    { name, scopes, export_strategies: strategies }: Input<typeof changeAccessKey>['body'],
  ): Promise<AccessKey> {
    await this.row(workspaceId, key);
    // Fields that were left out are not written: somebody else may change them at the same moment.
    const changed: Pick<Partial<AccessKeyEntity>, 'name' | 'scopes' | 'exportStrategies'> = {
      ...(name === undefined ? {} : { name }),
      ...(scopes === undefined ? {} : { scopes: distinct(AccessScope.options, scopes) }),
      ...(strategies === undefined ? {} : { exportStrategies: distinct(EXPORT_STRATEGIES, strategies) }),
    };
    if (Object.keys(changed).length > 0) {
      await this.db.manager.update(AccessKeyEntity, { workspaceId, key }, changed);
      this.tokens.forget(key);
    }
    return shown(await this.row(workspaceId, key));
  }

  private async row(workspaceId: string, key: string): Promise<AccessKeyEntity> {
    const row = await this.db.manager.findOneBy(AccessKeyEntity, { workspaceId, key });
    if (row === null) throw new AditError('NOT_FOUND', `There is no access key ${key}.`);
    return row;
  }
}

/** Each once, in the order of `all`. */
function distinct<T>(all: readonly T[], given: readonly T[]): T[] {
  return all.filter((one) => given.includes(one));
}

function shown({ key, name, scopes, exportStrategies, timeCreated }: AccessKeyEntity): AccessKey {
  return {
    key,
    name,
    type: 'jwt',
    scopes: AccessScope.array().parse(scopes),
    export_strategies: reachedExports(exportStrategies),
    time_created: isoTime(timeCreated),
  };
}
