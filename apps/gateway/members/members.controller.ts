import { AditError, isoTime } from '@adit/contracts';
import { inTransaction, isUuid, MemberEntity, readPage, SessionEntity } from '@adit/database';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { takeBackInvitations } from '../auth/invitations.js';
import { Sessions } from '../auth/sessions.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { changeMember, listMembers, removeMember } from './member-routes.js';

@Controller()
export class MembersController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Sessions) private readonly sessions: Sessions,
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
  async remove({ params: { memberId } }: Input<typeof removeMember>, { caller: { workspaceId } }: Exchange) {
    const { id } = await inTransaction(this.db, async (manager) => {
      const member = await locked(manager, workspaceId, memberId);
      await takeBackInvitations(manager, member);
      await manager.delete(SessionEntity, { memberId: member.id });
      await manager.delete(MemberEntity, { id: member.id });
      return member;
    });
    this.sessions.forget(id);
    return { message: `Member ${id} was removed.` };
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
