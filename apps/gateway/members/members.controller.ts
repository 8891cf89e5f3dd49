import { AditError, isoTime } from '@adit/contracts';
import { inTransaction, isUuid, MemberEntity, readPage, SessionEntity } from '@adit/database';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { auditLine } from '../audit/audit-line.js';
import { AuditLog } from '../audit/audit-log.js';
import { AccessTokens } from '../auth/access-tokens.js';
import { Authenticator } from '../auth/authenticator.js';
import { takeBackInvitations } from '../auth/invitations.js';
import { Sessions } from '../auth/sessions.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { lockKeys, revokeKeysOf } from '../keys/revoking.js';
import { changeMember, listMembers, removeMember } from './member-routes.js';

@Controller()
export class MembersController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
    @Inject(AuditLog) private readonly audit: AuditLog,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(listMembers)
  async list({ query }: Input<typeof listMembers>, { caller: { workspaceId }, request }: Exchange) {
    const found = this.db.manager.createQueryBuilder(MemberEntity, 'm').where({ workspaceId });
    const { rows, total, next } = await readPage(found, query, [
      { by: 'm.timeCreated', kind: 'time' },
      { by: 'm.id', kind: 'uuid' },
    ]);
    return this.links.page(request, query, total, rows.map(shown), next);
  }

  @Route(changeMember)
  async change({ params, body: { role } }: Input<typeof changeMember>, { caller: { workspaceId } }: Exchange) {
    const changed = await inTransaction(this.db, async (manager) => {
      const member = await locked(manager, workspaceId, params.memberId);
      if (member.source === 'claim' && member.role !== role) {
        throw new AditError('CONFLICT', 'The provider of the sign-in says the role of this member: change it there.');
      }
      await takeBackInvitations(manager, member);
      await manager.update(MemberEntity, { id: member.id }, { role });
      return { ...member, role };
    });
    this.sessions.forget(changed.id);
    return shown(changed);
  }

  @Route(removeMember)
  async remove({ params: { memberId }, query }: Input<typeof removeMember>, exchange: Exchange) {
    const { workspaceId } = exchange.caller;
    const { id, revoked } = await inTransaction(this.db, async (manager) => {
      // As for every key that is revoked: two admins must not revoke the last ones of each other.
      if (query.revoke_keys) await lockKeys(manager, workspaceId);
      const member = await locked(manager, workspaceId, memberId);
      await takeBackInvitations(manager, member);
      await manager.delete(SessionEntity, { memberId: member.id });
      await manager.delete(MemberEntity, { id: member.id });
      return { id: member.id, revoked: query.revoke_keys ? await this.revokeKeys(manager, exchange, member.id) : [] };
    });
    this.sessions.forget(id);
    for (const key of revoked) {
      this.authenticator.forget(key);
      this.tokens.forget(key);
    }
    return { message: `Member ${id} was removed.` };
  }

  /** Revokes the keys of a member, each with its line of the audit log; answers the ids of both kinds. */
  private async revokeKeys(manager: EntityManager, exchange: Exchange, id: string): Promise<string[]> {
    const { apiKeys, accessKeys } = await revokeKeysOf(manager, exchange.caller, id);
    const revoked = [
      ...apiKeys.map((resourceId) => ({ resource: 'api-keys', resourceId })),
      ...accessKeys.map((resourceId) => ({ resource: 'access-keys', resourceId })),
    ];
    for (const key of revoked) {
      await this.audit.write(auditLine(exchange, { action: 'deleted', ...key, fields: [] }), manager);
    }
    return revoked.map(({ resourceId }) => resourceId);
  }
}

async function locked(manager: EntityManager, workspaceId: string, id: string): Promise<MemberEntity> {
  const lock = { mode: 'pessimistic_write' } as const;
  const member = isUuid(id) ? await manager.findOne(MemberEntity, { where: { id, workspaceId }, lock }) : null;
  if (member === null) throw new AditError('NOT_FOUND', `There is no member ${id}.`);
  return member;
}

function shown({ id, name, email, role, source, timeCreated, timeLastSeen }: MemberEntity) {
  const times = { time_created: isoTime(timeCreated), time_last_seen: isoTime(timeLastSeen) };
  return { id, name, email, role, source, ...times };
}
