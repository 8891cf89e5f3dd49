import { randomUUID } from 'node:crypto';
import { inTransaction, InvitationEntity, MemberEntity, returned, SessionEntity } from '@adit/database';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { hashApiKey } from '../auth/api-key.js';
import { Sessions } from '../auth/sessions.js';
import { takeBackInvitations } from '../auth/invitations.js';
import { AuditLog } from '../audit/audit-log.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { memberLine } from './member-line.js';
import { claimValues, grantsOf, type Claims, type Person } from './claims.js';
import { SignInFault } from './sign-in-fault.js';

const log = createLogger('sign-in');

interface Change {
  action: 'created' | 'changed' | 'deleted';
  member: MemberEntity;
}

/** Who comes in: whom a claim lets in, who is invited, and who is a member already. */
@Injectable()
export class Admission {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(GATEWAY_CONFIG)
    private readonly config: Pick<GatewayConfig, 'oidcRoleClaim' | 'oidcRoles' | 'oidcUnverifiedEmail'>,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(AuditLog) private readonly audit: AuditLog,
  ) {}

  /**
   * Brings the memberships of a person up to date, accepts an invitation, and begins a session; answers its token. Throws SignInFault
   * where the person belongs to no workspace.
   */
  async admit(
    { person, claims }: { person: Person; claims: Claims },
    { invitation, requestId }: { invitation: string | null; requestId: string },
  ): Promise<string> {
    const grants = this.grants(claims);
    const isVerified = person.isEmailVerified ?? this.config.oidcUnverifiedEmail;
    const { changes, token } = await inTransaction(this.db, async (manager) => {
      if (grants === null) await refuseUnsaid(manager, person);
      const changed = await syncClaims(manager, person, await byWorkspace(manager, grants ?? new Map()));
      const invited = invitation === null ? null : await accept(manager, person, { token: invitation, isVerified });
      if (invited?.isNew === true) changed.push({ action: 'created', member: invited.member });
      for (const { action, member } of changed) {
        const done = { action, resource: 'members', resourceId: member.id, requestId } as const;
        await this.audit.write(memberLine(member, done), manager);
      }
      const member = invited?.member ?? (await latest(manager, person));
      return { changes: changed, token: member === null ? null : await this.begin(manager, member, requestId) };
    });
    for (const { member } of changes) this.sessions.forget(member.id);
    if (token === null) {
      if (grants === null) throw unsaid();
      throw new SignInFault('stranger', 'The person belongs to no workspace.');
    }
    return token;
  }

  /** What the claim gives; null where the provider says nothing of it although it counts. */
  private grants(claims: Claims): ReturnType<typeof grantsOf> | null {
    const { oidcRoleClaim, oidcRoles } = this.config;
    if (Object.keys(oidcRoles).length === 0) return new Map();
    const values = claimValues(claims, oidcRoleClaim);
    if (values !== null) return grantsOf(values, oidcRoles);
    log.warn(
      { claim: oidcRoleClaim },
      'the provider says nothing of the claim with the roles of somebody who signs in',
    );
    return null;
  }

  private async begin(manager: EntityManager, member: MemberEntity, requestId: string): Promise<string> {
    const { id: resourceId, token } = await this.sessions.begin(manager, member);
    const begun = { action: 'created', resource: 'sessions', resourceId, requestId } as const;
    await this.audit.write(memberLine(member, begun), manager);
    return token;
  }
}

/** Ids of workspaces that are there, each with a role; locked, so that an erasure takes what is made in them. */
async function byWorkspace(
  manager: EntityManager,
  grants: ReadonlyMap<string | null, MemberEntity['role']>,
): Promise<Map<string, MemberEntity['role']>> {
  const found: { id: string; isOldest: boolean }[] = await manager.query(
    `WITH oldest AS (SELECT id FROM workspaces WHERE time_deleted IS NULL ORDER BY time_created LIMIT 1)
     SELECT w.id, w.id = (SELECT id FROM oldest) AS "isOldest" FROM workspaces w
      WHERE w.time_deleted IS NULL AND (w.id = ANY($1::uuid[]) OR ($2 AND w.id = (SELECT id FROM oldest)))
      ORDER BY w.id FOR SHARE OF w`,
    [[...grants.keys()].filter((id) => id !== null), grants.has(null)],
  );
  const roles = new Map<string, MemberEntity['role']>();
  for (const { id, isOldest } of found) {
    // One that is named goes before the oldest, should they be the same.
    const role = grants.get(id) ?? (isOldest ? grants.get(null) : undefined);
    if (role !== undefined) roles.set(id, role);
  }
  for (const id of grants.keys()) {
    if (id !== null && !roles.has(id))
      log.warn({ workspaceId: id }, 'ADIT_OIDC_ROLES names a workspace that is not there');
  }
  return roles;
}

/**
 * A claim that is missing, as where somebody is in too many groups for Entra ID, or a mapper was dropped, is none that is empty. Throws
 * SignInFault where a claim has let the person in before: what it gave stays.
 */
async function refuseUnsaid(manager: EntityManager, { issuer, subject }: Person): Promise<void> {
  if (await manager.existsBy(MemberEntity, { issuer, subject, source: 'claim' })) throw unsaid();
}

function unsaid(): SignInFault {
  return new SignInFault('claim', 'The provider says nothing of the claim that lets people in.');
}

/** What claims gave before and give no more ends; what they give counts, whoever gave it before. */
async function syncClaims(
  manager: EntityManager,
  person: Person,
  roles: ReadonlyMap<string, MemberEntity['role']>,
): Promise<Change[]> {
  const { issuer, subject, name, email } = person;
  const of = { issuer, subject };
  const known = await manager.find(MemberEntity, { where: of, lock: { mode: 'pessimistic_write' } });
  const gone = known.filter(({ source, workspaceId }) => source === 'claim' && !roles.has(workspaceId));
  if (gone.length > 0) {
    const ids = gone.map(({ id }) => id);
    await manager.delete(SessionEntity, { memberId: In(ids) });
    await manager.delete(MemberEntity, { id: In(ids) });
  }
  await manager.update(MemberEntity, of, { name, email });
  const changes: Change[] = gone.map((member) => ({ action: 'deleted', member }));
  for (const [workspaceId, role] of roles) {
    const before = known.find((one) => one.workspaceId === workspaceId);
    const { member } = await write(manager, person, { workspaceId, role, source: 'claim' });
    if (before?.role !== role) changes.push({ action: before === undefined ? 'created' : 'changed', member });
  }
  return changes;
}

/** Makes the person a member as an invitation says, unless they are one. Throws SignInFault, which leaves the invitation open. */
async function accept(
  manager: EntityManager,
  person: Person,
  { token, isVerified }: { token: string; isVerified: boolean },
): Promise<Written> {
  const invitation = await manager
    .createQueryBuilder(InvitationEntity, 'i')
    .setLock('pessimistic_write')
    .where('i.tokenHash = :hash AND i.timeExpires > now()', { hash: hashApiKey(token) })
    .getOne();
  const workspaces: unknown[] =
    invitation === null
      ? []
      : await manager.query('SELECT 1 FROM workspaces WHERE id = $1 AND time_deleted IS NULL FOR SHARE', [
          invitation.workspaceId,
        ]);
  if (invitation === null || workspaces.length === 0) {
    throw new SignInFault('invitation', 'The invitation is over, was used or was taken back.');
  }
  if (invitation.email.toLowerCase() !== person.email?.toLowerCase()) {
    throw new SignInFault('address', 'The invitation is for another address of e-mail.');
  }
  if (!isVerified) {
    throw new SignInFault('unverified', 'The provider does not say that the address of e-mail is verified.');
  }
  const { workspaceId, role, email } = invitation;
  await takeBackInvitations(manager, { workspaceId, email });
  return write(manager, person, { workspaceId, role, source: 'invitation' });
}

interface Written {
  member: MemberEntity;
  /** They were none before. */
  isNew: boolean;
}

/** Makes a member. One that the person is already follows a claim, and no invitation. */
async function write(
  manager: EntityManager,
  { issuer, subject, name, email }: Person,
  { workspaceId, role, source }: Pick<MemberEntity, 'workspaceId' | 'role' | 'source'>,
): Promise<Written> {
  const rows = returned<{ id: string; isNew: boolean }>(
    await manager.query(
      `INSERT INTO members AS m (id, workspace_id, issuer, subject, name, email, role, source, time_last_seen)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now())
       ON CONFLICT (issuer, subject, workspace_id) DO UPDATE
          SET role = CASE WHEN excluded.source = 'claim' THEN excluded.role ELSE m.role END,
              source = CASE WHEN excluded.source = 'claim' THEN excluded.source ELSE m.source END
       RETURNING id, xmax = 0 AS "isNew"`,
      [randomUUID(), workspaceId, issuer, subject, name, email, role, source],
    ),
  );
  const { id = '', isNew = false } = rows[0] ?? {};
  return { member: await manager.findOneByOrFail(MemberEntity, { id }), isNew };
}

/** Where the person was last, of what they belong to. */
async function latest(manager: EntityManager, { issuer, subject }: Person): Promise<MemberEntity | null> {
  return manager
    .createQueryBuilder(MemberEntity, 'm')
    .where('m.issuer = :issuer AND m.subject = :subject', { issuer, subject })
    .andWhere('EXISTS (SELECT 1 FROM workspaces w WHERE w.id = m.workspace_id AND w.time_deleted IS NULL)')
    .orderBy({ 'm.timeLastSeen': 'DESC', 'm.timeCreated': 'ASC', 'm.id': 'ASC' })
    .getOne();
}
