/** People as signing in and inviting leave them, for specs of what is done with them. */
import { randomUUID } from 'node:crypto';
import { columns, InvitationEntity, MemberEntity, SessionEntity } from '@adit/database';
import type { TestGateway } from '../../testing/gateway.js';

/** Ids of a member who is signed in, of the session, and of an invitation of somebody else. */
export async function plantMember({
  db: { manager },
  workspaceId,
}: Pick<TestGateway, 'db' | 'workspaceId'>): Promise<Record<'memberId' | 'sessionId' | 'invitationId', string>> {
  const [memberId, sessionId, invitationId] = [randomUUID(), randomUUID(), randomUUID()];
  const [now, later] = [new Date(), new Date(Date.now() + 3_600_000)];
  const person = { issuer: 'https://id.example.org', subject: memberId, name: 'Ada', email: 'ada@example.org' };
  await manager.insert(
    MemberEntity,
    columns<MemberEntity>({
      ...{ id: memberId, workspaceId, ...person, role: 'member', source: 'invitation', timeLastSeen: now },
    }),
  );
  await manager.insert(
    SessionEntity,
    columns<SessionEntity>({
      ...{ id: sessionId, workspaceId, memberId, tokenHash: sessionId, timeLastUsed: now, timeExpires: later },
    }),
  );
  await manager.insert(
    InvitationEntity,
    columns<InvitationEntity>({
      ...{ id: invitationId, workspaceId, email: 'eve@example.org', role: 'reader' },
      ...{ tokenHash: invitationId, timeExpires: later },
    }),
  );
  return { memberId, sessionId, invitationId };
}
