import { randomBytes, randomUUID } from 'node:crypto';
import { AditError } from '@adit/contracts';
import { isUuid, SessionEntity, type MemberEntity } from '@adit/database';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { GATEWAY_CONFIG } from '../config.js';
import type { Caller } from '../http/caller.js';
import { hashApiKey } from './api-key.js';
import { cookieName, readCookie } from './cookies.js';
import { KeyMemory } from './key-memory.js';
import { NO_LIMITS_OF_ITS_OWN } from './rate-limits.js';
import { issuerOf, workingSignIn, type SignInConfig } from './sign-in-settings.js';

const log = createLogger('auth');
const USED_EVERY_SECONDS = 60;
/** Sessions of one member; the oldest ends when there would be more. */
const MAX_SESSIONS = 20;
/** Workspaces of one person that are listed. */
const MAX_WORKSPACES = 200;

interface SessionRow {
  id: string;
  workspaceId: string;
  memberId: string;
  name: string;
  role: MemberEntity['role'];
  tokenHash: string;
  /** Milliseconds until it ends, unless it is used. */
  forMs: number;
  /** Its last use is to be noted. */
  isStale: boolean;
}

/** Sessions that count now: of a member known by the provider that is configured, of a workspace that is there. */
const VALID = `
  SELECT s.id, s.workspace_id AS "workspaceId", s.member_id AS "memberId", m.name, m.role, s.token_hash AS "tokenHash",
         (extract(epoch FROM least(s.time_expires, s.time_last_used + make_interval(secs => $2)) - now()) * 1000)::float8 AS "forMs",
         s.time_last_used < now() - make_interval(secs => ${USED_EVERY_SECONDS}) AS "isStale"
    FROM sessions s
    JOIN members m ON m.id = s.member_id AND m.workspace_id = s.workspace_id AND m.issuer = $3
    JOIN workspaces w ON w.id = s.workspace_id AND w.time_deleted IS NULL
   WHERE s.time_expires > now() AND s.time_last_used > now() - make_interval(secs => $2)`;

/** Browsers that members signed in with: who stands behind the cookie, and until when. */
@Injectable()
export class Sessions {
  private readonly memory = new KeyMemory<Caller>();
  /** Null where nobody signs in by a provider. */
  private readonly config: SignInConfig | null;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(GATEWAY_CONFIG) private readonly settings: Parameters<typeof workingSignIn>[0],
  ) {
    this.config = workingSignIn(settings);
  }

  /** Time after its last use at which a session is over. */
  get idleSeconds(): number {
    return this.settings.sessionIdleMinutes * 60;
  }

  /** The token that a header `Cookie` holds; null without one. */
  tokenIn(header: string | undefined): string | null {
    return this.config === null ? null : readCookie(header, cookieName(this.config.base, 'session'));
  }

  /** Whose session has this token; null for one that is over, or was none. */
  async find(token: string): Promise<Caller | null> {
    if (this.config === null) return null;
    const hash = hashApiKey(token);
    return this.memory.find(hash, async () => {
      const row = await this.row('s.token_hash = $1', hash);
      if (row === null) return null;
      if (row.isStale) this.noteUse(row.id);
      return { value: callerOf(row), keyId: row.memberId, forMs: row.forMs };
    });
  }

  /** The same as it is right now, at whatever gateway it was changed; that is no use of it. */
  async now(token: string): Promise<Caller | null> {
    const row = await this.row('s.token_hash = $1', hashApiKey(token));
    return row === null ? null : callerOf(row);
  }

  /** Whether there is a session with this token that counts no more. */
  async isOver(token: string): Promise<boolean> {
    return this.db.manager.existsBy(SessionEntity, { tokenHash: hashApiKey(token) });
  }

  /** What links that the session asked for are signed with; null when it is over. */
  async signer(id: string): Promise<{ caller: Caller; secret: string } | null> {
    const row = await this.row('s.id = $1', id);
    return row === null ? null : { caller: callerOf(row), secret: row.tokenHash };
  }

  /** Begins a session in the transaction that let the member in; answers its id, and its token, which is nowhere else. */
  async begin(
    manager: EntityManager,
    { id: memberId, workspaceId }: MemberEntity,
  ): Promise<{ id: string; token: string }> {
    const [id, token] = [randomUUID(), randomBytes(32).toString('base64url')];
    await manager.query(
      `INSERT INTO sessions (id, workspace_id, member_id, token_hash, time_last_used, time_expires)
       VALUES ($1, $2, $3, $4, now(), now() + make_interval(secs => $5))`,
      [id, workspaceId, memberId, hashApiKey(token), this.settings.sessionHours * 3_600],
    );
    await manager.query(
      `DELETE FROM sessions WHERE member_id = $1 AND id NOT IN (
         SELECT id FROM sessions WHERE member_id = $1 ORDER BY time_created DESC LIMIT $2)`,
      [memberId, MAX_SESSIONS],
    );
    await manager.query('UPDATE members SET time_last_seen = now() WHERE id = $1', [memberId]);
    return { id, token };
  }

  /** Ends the session of a caller. */
  async end({ keyId: memberId, signer: id }: Caller): Promise<void> {
    await this.db.manager.delete(SessionEntity, { id, memberId });
    this.forget(memberId);
  }

  /** Moves the session of a caller to where the same person is another member. Throws NOT_FOUND where they are none. */
  async move({ keyId: from, signer: id }: Caller, workspaceId: string): Promise<void> {
    const nowhere = new AditError('NOT_FOUND', `You belong to no workspace ${workspaceId}.`);
    if (!isUuid(workspaceId)) throw nowhere;
    const moved: unknown[] = await this.db.query(
      `WITH moved AS (
         UPDATE sessions s SET member_id = t.id, workspace_id = t.workspace_id
           FROM members f JOIN members t ON t.issuer = f.issuer AND t.subject = f.subject
           JOIN workspaces w ON w.id = t.workspace_id AND w.time_deleted IS NULL
          WHERE s.id = $1 AND s.member_id = $2 AND f.id = $2 AND t.workspace_id = $3 RETURNING s.member_id),
       seen AS (UPDATE members SET time_last_seen = now() WHERE id IN (SELECT member_id FROM moved))
       SELECT 1 FROM moved`,
      [id, from, workspaceId],
    );
    this.forget(from);
    if (moved.length === 0) throw nowhere;
  }

  /** To be called when a member was changed or removed, or a session of theirs ended: from now on they count as they are. */
  forget(memberId: string): void {
    this.memory.forget(memberId);
  }

  private async row(where: string, value: string): Promise<SessionRow | null> {
    if (this.config === null) return null;
    const values = [value, this.idleSeconds, issuerOf(this.config.oidcIssuer)];
    const [row]: SessionRow[] = await this.db.query(`${VALID} AND ${where}`, values);
    return row ?? null;
  }

  /** At most one write a minute, and no request waits for it. */
  private noteUse(id: string): void {
    const noted = this.db.query(
      `UPDATE sessions SET time_last_used = now()
        WHERE id = $1 AND time_last_used < now() - make_interval(secs => ${USED_EVERY_SECONDS})`,
      [id],
    );
    void noted.catch((error: unknown) => log.warn({ err: error }, 'the use of a session could not be noted'));
  }
}

function callerOf({ id, workspaceId, memberId, name, role }: SessionRow): Caller {
  const counted = { keyId: memberId, countedAs: memberId, limits: NO_LIMITS_OF_ITS_OWN };
  const reach = { role, scopes: [], exportStrategies: null };
  return { kind: 'member', workspaceId, ...counted, name, ...reach, signer: id, maker: memberId };
}

/** Workspaces that the person behind a member belongs to, by name. */
export function workspacesOf(db: DataSource, memberId: string): Promise<{ id: string; name: string }[]> {
  return db.query(
    `SELECT w.id, w.name
       FROM members f JOIN members t ON t.issuer = f.issuer AND t.subject = f.subject
       JOIN workspaces w ON w.id = t.workspace_id AND w.time_deleted IS NULL
      WHERE f.id = $1 ORDER BY w.name, w.id LIMIT ${MAX_WORKSPACES}`,
    [memberId],
  );
}
