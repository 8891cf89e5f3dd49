import { timingSafeEqual } from 'node:crypto';
import { AditError } from '@adit/contracts';
import { ApiKeyEntity } from '@adit/database';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { hashApiKey } from './api-key.js';
import type { Caller } from './caller.js';
import { KeyMemory } from './key-memory.js';

const log = createLogger('auth');
const USED_EVERY_MS = 60_000;
/** RFC 9110 calls schemes case-insensitive; the rest is one run of visible characters. */
const AUTHORIZATION = /^Key ([\x21-\x7e]{1,256})$/i;

/** Finds who sent a request by its `Authorization: Key <API_KEY>`. */
@Injectable()
export class Authenticator {
  private readonly memory = new KeyMemory();
  /** Counts revocations, so that a look-up from before one is not remembered after it. */
  private revoked = 0;

  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Throws UNAUTHENTICATED, always with the same words: which part was wrong is nobody's business. */
  async authenticate(header: string | undefined): Promise<Caller> {
    const key = AUTHORIZATION.exec(header ?? '')?.[1];
    if (key === undefined) throw refusal();
    const hash = hashApiKey(key);
    const known = this.memory.get(hash);
    if (known !== null) return known;
    const { revoked } = this;
    const row = await this.db.manager.findOneBy(ApiKeyEntity, { hash });
    // The look-up is by hash, so its timing says nothing about the key; the comparison is for the reader's peace.
    if (row === null || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) throw refusal();
    this.noteUse(row);
    const caller = { workspaceId: row.workspaceId, apiKeyId: row.id, role: row.role };
    if (revoked === this.revoked) this.memory.set(hash, caller);
    return caller;
  }

  /** To be called when a key was revoked: from now on it is refused. */
  forget(apiKeyId: string): void {
    this.revoked += 1;
    this.memory.forget(apiKeyId);
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
