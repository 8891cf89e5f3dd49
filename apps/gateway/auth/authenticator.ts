import { timingSafeEqual } from 'node:crypto';
import { AditError } from '@adit/contracts';
import { ApiKeyEntity, databaseNow, isUuid, JobEntity } from '@adit/database';
import { createLogger } from '@adit/runtime';
import { findRecording, openTicket } from '@adit/streams';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { AccessTokens } from './access-tokens.js';
import { hashApiKey } from './api-key.js';
import type { Caller } from '../http/caller.js';
import { KeyMemory } from './key-memory.js';
import { Sessions } from './sessions.js';

const log = createLogger('auth');
const USED_EVERY_MS = 60_000;
/** RFC 9110 calls schemes case-insensitive; the rest is one run of visible characters. */
const API_KEY = /^Key ([\x21-\x7e]{1,256})$/i;
const BEARER = /^Bearer ([\x21-\x7e]+)$/i;

/** What a request carries to say whose it is; the first of them that is there counts. */
export interface Credentials {
  authorization?: string | undefined;
  /** What `?token=` held. */
  token?: unknown;
  /** Token of the session, from its cookie. */
  session?: string | null;
}

/** Finds who sent a request by its `Authorization: Key <API_KEY>`, by the token of an access key, or by the cookie of a session. */
@Injectable()
export class Authenticator {
  private readonly memory = new KeyMemory<Caller>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
    @Inject(Sessions) private readonly sessions: Sessions,
  ) {}

  /** The token of a session that a header `Cookie` holds; null without one. */
  sessionIn(cookie: string | undefined): string | null {
    return this.sessions.tokenIn(cookie);
  }

  /** Whether a token is of a session that is over: nobody guessed it. */
  isSessionOver(token: string): Promise<boolean> {
    return this.sessions.isOver(token);
  }

  /**
   * `address` is where the request came from. Throws UNAUTHENTICATED, always with the same words for API keys: which part was wrong is
   * nobody's business.
   */
  async authenticate({ authorization = '', token, session = null }: Credentials, address: string): Promise<Caller> {
    const bearer = BEARER.exec(authorization)?.[1];
    if (bearer !== undefined) return this.tokens.verify(bearer, address);
    if (authorization === '' && typeof token === 'string') return this.tokens.verify(token, address);
    if (authorization === '' && session !== null) return this.ofSession(session);
    const key = API_KEY.exec(authorization)?.[1];
    if (key === undefined) throw refusal();
    const hash = hashApiKey(key);
    const caller = await this.memory.find(hash, () => this.lookUp(hash));
    if (caller === null) throw refusal();
    return caller;
  }

  /**
   * Finds who a ticket for the recording of a job was made for; it ends with their key or session, and with the job. Throws
   * UNAUTHENTICATED.
   */
  async openRecording(jobId: string, ticket: string): Promise<Caller> {
    const recording = isUuid(jobId) ? await findRecording(this.db, jobId) : null;
    const said = recording === null ? null : openTicket(recording.secret, jobId, ticket);
    const signer = said === null ? null : await this.signer(said.keyId);
    if (signer === null || !(await this.isJobOf(jobId, signer.caller.workspaceId))) {
      const advice = 'Ask GET /v1/jobs/{id}/recording/ for a new one.';
      throw new AditError('UNAUTHENTICATED', `This address of a recording does not count, or not any more. ${advice}`);
    }
    return { ...signer.caller, role: 'reader' };
  }

  /** Whose links are signed as `Caller.signer` says, and with what, which nobody is ever shown; null when the key or session is over. */
  async signer(id: string): Promise<{ caller: Caller; secret: string } | null> {
    if (!isUuid(id)) return null;
    const row = await this.db.manager
      .createQueryBuilder(ApiKeyEntity, 'k')
      .where('k.id = :id AND (k.timeExpires IS NULL OR k.timeExpires > now())', { id })
      .getOne();
    return row === null ? this.sessions.signer(id) : { caller: callerOf(row), secret: row.hash };
  }

  /** Whose session has this token right now; that is no use of it. Throws UNAUTHENTICATED. */
  async sessionNow(token: string): Promise<Caller> {
    return stillSignedIn(await this.sessions.now(token));
  }

  private async ofSession(token: string): Promise<Caller> {
    return stillSignedIn(await this.sessions.find(token));
  }

  private async isJobOf(jobId: string, workspaceId: string): Promise<boolean> {
    return this.db.manager.existsBy(JobEntity, { id: jobId, workspaceId, timeDeleted: IsNull() });
  }

  /** To be called when a key was revoked, changed or rotated: from now on it counts as it is. */
  forget(apiKeyId: string): void {
    this.memory.forget(apiKeyId);
  }

  private async lookUp(hash: string) {
    const row = await this.db.manager.findOneBy(ApiKeyEntity, { hash });
    // The look-up is by hash, so its timing says nothing about the key; the comparison is for the reader's peace.
    if (row === null || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return null;
    const forMs = row.timeExpires === null ? Infinity : Number(row.timeExpires) - Number(await databaseNow(this.db));
    if (forMs <= 0) return null;
    this.noteUse(row);
    return { value: callerOf(row), keyId: row.id, forMs };
  }

  /** At most one write a minute, and no request waits for it. */
  private noteUse(row: ApiKeyEntity): void {
    const now = Date.now();
    if (row.timeLastUsed !== null && now - row.timeLastUsed.getTime() < USED_EVERY_MS) return;
    const noted = this.db.manager
      .createQueryBuilder()
      .update(ApiKeyEntity)
      .set({ timeLastUsed: new Date(now) })
      .where('id = :id AND (time_last_used IS NULL OR time_last_used < :before)', {
        id: row.id,
        before: new Date(now - USED_EVERY_MS),
      })
      .execute();
    void noted.catch((error: unknown) => log.warn({ err: error }, 'the use of an API key could not be noted'));
  }
}

function stillSignedIn(caller: Caller | null): Caller {
  if (caller === null) throw new AditError('UNAUTHENTICATED', 'You are no longer signed in.');
  return caller;
}

function callerOf(row: ApiKeyEntity): Caller {
  const { id, workspaceId, name, makerId: maker, requestsPerSecond, jobsPerDay } = row;
  return {
    ...{ kind: 'api-key', workspaceId, keyId: id, signer: id, countedAs: id, name, maker },
    ...{ role: row.isOwner ? 'owner' : row.role, scopes: [], exportStrategies: null },
    limits: { requestsPerSecond, jobsPerDay },
  };
}

function refusal(): AditError {
  return new AditError('UNAUTHENTICATED', 'Send a valid API key in the header: Authorization: Key <API_KEY>.');
}
