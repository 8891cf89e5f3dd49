import { randomBytes } from 'node:crypto';
import { AccessScope, AditError, isoTime, PageQuery, type AccessKey } from '@adit/contracts';
import { AccessKeyEntity } from '@adit/database';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import {
  changeAccessKey,
  createAccessKey,
  deleteAccessKey,
  getAccessKey,
  listAccessKeys,
  replaceAccessKey,
} from './access-key-routes.js';
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
    const isPaged = query.offset !== undefined || query.limit !== undefined;
    const page = isPaged ? PageQuery.parse(query) : null;
    const [rows, total] = await this.db.manager.findAndCount(AccessKeyEntity, {
      where: { workspaceId },
      order: { timeCreated: 'ASC', key: 'ASC' },
      ...(page === null ? {} : { skip: page.offset, take: page.limit }),
    });
    const keys = rows.map(shown);
    return page === null ? keys : this.links.page(request, page, total, keys);
  }

  @Route(createAccessKey)
  async create({ body: { name, scopes } }: Input<typeof createAccessKey>, { caller: { workspaceId } }: Exchange) {
    const key = randomBytes(15).toString('base64url');
    const secret = randomBytes(32).toString('base64url');
    await this.db.manager.insert(AccessKeyEntity, { key, workspaceId, name, secret, scopes: distinct(scopes) });
    return { ...shown(await this.row(workspaceId, key)), secret };
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
    { name, scopes }: { name?: string | undefined; scopes?: AccessScope[] | undefined },
  ): Promise<AccessKey> {
    const row = await this.row(workspaceId, key);
    const changed = { name: name ?? row.name, scopes: scopes === undefined ? row.scopes : distinct(scopes) };
    await this.db.manager.update(AccessKeyEntity, { workspaceId, key }, changed);
    this.tokens.forget(key);
    return shown({ ...row, ...changed });
  }

  private async row(workspaceId: string, key: string): Promise<AccessKeyEntity> {
    const row = await this.db.manager.findOneBy(AccessKeyEntity, { workspaceId, key });
    if (row === null) throw new AditError('NOT_FOUND', `There is no access key ${key}.`);
    return row;
  }
}

function distinct(scopes: AccessScope[]): AccessScope[] {
  return AccessScope.options.filter((scope) => scopes.includes(scope));
}

function shown({ key, name, scopes, timeCreated }: AccessKeyEntity): AccessKey {
  return { key, name, type: 'jwt', scopes: AccessScope.array().parse(scopes), time_created: isoTime(timeCreated) };
}
