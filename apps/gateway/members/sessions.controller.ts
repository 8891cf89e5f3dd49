import { AditError, isoTime } from '@adit/contracts';
import { isUuid, MemberEntity, readPage, SessionEntity } from '@adit/database';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { Sessions } from '../auth/sessions.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { endSession, listSessions } from './member-routes.js';

@Controller()
export class SessionsController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(Links) private readonly links: Links,
  ) {}

  @Route(listSessions)
  async list({ query }: Input<typeof listSessions>, { caller, request }: Exchange) {
    const { workspaceId } = caller;
    const found = this.db.manager
      .createQueryBuilder(SessionEntity, 's')
      .where('s.workspaceId = :workspaceId AND s.timeExpires > now()', { workspaceId })
      .andWhere('s.timeLastUsed > now() - make_interval(secs => :idle)', { idle: this.sessions.idleSeconds });
    const { rows, total, next } = await readPage(found, query, [
      { by: 's.timeCreated', kind: 'time', descending: true },
      { by: 's.id', kind: 'uuid' },
    ]);
    const names = await this.names(rows);
    const shown = rows.map(({ id, memberId, timeCreated, timeLastUsed, timeExpires }) => ({
      ...{ id, member: { id: memberId, name: names.get(memberId) ?? '' }, is_own: id === caller.signer },
      ...{ time_created: isoTime(timeCreated), time_last_used: isoTime(timeLastUsed) },
      time_expires: isoTime(timeExpires),
    }));
    return this.links.page(request, query, total, shown, next);
  }

  @Route(endSession)
  async end({ params: { sessionId: id } }: Input<typeof endSession>, { caller: { workspaceId } }: Exchange) {
    const session = isUuid(id) ? await this.db.manager.findOneBy(SessionEntity, { id, workspaceId }) : null;
    if (session === null) throw new AditError('NOT_FOUND', `There is no session ${id}.`);
    await this.db.manager.delete(SessionEntity, { id: session.id });
    this.sessions.forget(session.memberId);
    return { message: `Session ${session.id} was ended.` };
  }

  private async names(sessions: readonly SessionEntity[]): Promise<Map<string, string>> {
    const id = In([...new Set(sessions.map(({ memberId }) => memberId))]);
    const members = await this.db.manager.find(MemberEntity, { where: { id }, select: { id: true, name: true } });
    return new Map(members.map((member) => [member.id, member.name]));
  }
}
