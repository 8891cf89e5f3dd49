import { timingSafeEqual } from 'node:crypto';
import { AditError } from '@adit/contracts';
import { ApiKeyEntity, databaseNow, isUuid } from '@adit/database';
import { createLogger } from '@adit/runtime';
import { findRecording, openTicket } from '@adit/streams';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccessTokens } from './access-tokens.js';
import { hashApiKey } from './api-key.js';
import type { Caller } from '../http/caller.js';
import { KeyMemory } from './key-memory.js';

const log = createLogger('auth');
const USED_EVERY_MS = 60_000;
/** RFC 9110 calls schemes case-insensitive; the rest is one run of visible characters. */
const API_KEY = /^Key ([\x21-\x7e]{1,256})$/i;
const BEARER = /^Bearer ([\x21-\x7e]+)$/i;

/** Finds who sent a request by its `Authorization: Key <API_KEY>`, or by the token of an access key. */
@Injectable()
export class Authenticator {
  private readonly memory = new KeyMemory<Caller>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
  ) {}

  /**
   * `token` is what `?token=` held; a header goes before it. `address` is where it came from. Throws UNAUTHENTICATED, always with the same words for API
   * keys: which part was wrong is nobody's business.
   */
  async authenticate(header: string | undefined, token: unknown, address: string): Promise<Caller> {
    const bearer = BEARER.exec(header ?? '')?.[1];
    if (bearer !== undefined) return this.tokens.verify(bearer, address);
    if ((header ?? '') === '' && typeof token === 'string') return this.tokens.verify(token, address);
    const key = API_KEY.exec(header ?? '')?.[1];
    if (key === undefined) throw refusal();
    const hash = hashApiKey(key);
    const caller = await this.memory.find(hash, () => this.lookUp(hash));
    if (caller === null) throw refusal();
    return caller;
  }

  /**
   * Finds the key that a ticket for the recording of a job was made for; it ends with the key, and with the job. Throws
   * UNAUTHENTICATED.
   */
  async openRecording(jobId: string, ticket: string): Promise<Caller> {
    const recording = isUuid(jobId) ? await findRecording(this.db, jobId) : null;
    const said = recording === null ? null : openTicket(recording.secret, jobId, ticket);
    const [row] = said === null ? [] : await this.keysOfJob(said.keyId, jobId);
    if (row === undefined) {
      const advice = 'Ask GET /v1/jobs/{id}/recording/ for a new one.';
      throw new AditError('UNAUTHENTICATED', `This address of a recording does not count, or not any more. ${advice}`);
    }
    const { id: keyId, workspaceId, name, requestsPerSecond, jobsPerDay } = row;
    const limits = { requestsPerSecond, jobsPerDay };
    const own = { workspaceId, keyId, countedAs: keyId, name, role: 'reader', limits } as const;
    return { ...own, scopes: [], exportStrategies: null };
  }

  private keysOfJob(keyId: string, jobId: string): Promise<ApiKeyEntity[]> {
    return this.db.manager
      .createQueryBuilder(ApiKeyEntity, 'k')
      .where('k.id = :keyId AND (k.timeExpires IS NULL OR k.timeExpires > now())', { keyId })
      .andWhere(
        'EXISTS (SELECT 1 FROM jobs j WHERE j.id = :jobId AND j.workspace_id = k.workspace_id AND j.time_deleted IS NULL)',
        { jobId },
      )
      .getMany();
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
    const { id: keyId, workspaceId, name, requestsPerSecond, jobsPerDay } = row;
    const role = row.isOwner ? 'owner' : row.role;
    const own = {
      workspaceId,
      keyId,
      countedAs: keyId,
      name,
      role,
      limits: { requestsPerSecond, jobsPerDay },
    } as const;
    const caller: Caller = { ...own, scopes: [], exportStrategies: null };
    return { value: caller, keyId, forMs };
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

function refusal(): AditError {
  return new AditError('UNAUTHENTICATED', 'Send a valid API key in the header: Authorization: Key <API_KEY>.');
}
