import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, digestOf } from '@adit/contracts';
import { IdempotencyKeyEntity } from '@adit/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, LessThan } from 'typeorm';
import type { Exchange, RouteDefinition } from './route.js';

const KEPT_MS = 24 * 3_600_000;
/** Longer than any POST takes (a wait of 60 s); after it a request that died with its process may be sent again. */
const IN_PROGRESS_MS = 120_000;
const TIMEOUT_MS = 5_000;
const LOOK_AGAIN_MS = 100;
/** Tells the one conflict that is over by itself from those that refuse: clients of ours wait for it. */
const IN_PROGRESS = 'in_progress';

interface StoredReply {
  status: number;
  body: unknown;
}

/**
 * `Idempotency-Key` on every POST but forms, whose files nobody compares: the same key and body give the stored reply, another body
 * is refused. Only replies that did something are kept; after a refusal the key is free again.
 */
@Injectable()
export class IdempotencyKeys {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Returns what `handle` does, or what it answered to the first request of the key. */
  once(route: RouteDefinition, exchange: Exchange, handle: () => Promise<unknown>): Promise<unknown> {
    const key = exchange.request.headers['idempotency-key'];
    const isForm = route.form !== undefined && exchange.request.body === undefined;
    if (route.method !== 'POST' || isForm || key === undefined) return handle();
    if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
      throw new AditError('VALIDATION', 'Idempotency-Key has 1 to 255 printable characters.');
    }
    return this.onceFor({ workspaceId: exchange.caller.workspaceId, key }, route, exchange, handle);
  }

  private async onceFor(
    id: { workspaceId: string; key: string },
    route: RouteDefinition,
    exchange: Exchange,
    handle: () => Promise<unknown>,
  ): Promise<unknown> {
    const { request, reply } = exchange;
    const requestDigest = digestOf([request.method, withoutSlash(request.url), request.body ?? null]);
    const stored = await this.claim(id, requestDigest);
    if (stored !== null) {
      if (route.secret === true) {
        throw new AditError('CONFLICT', 'This was done already; its reply held a secret, so it was not kept.');
      }
      reply.status(stored.status).header('idempotency-replayed', 'true');
      return stored.body;
    }
    // What a process that died while it answered has made already is found again by its id.
    exchange.newId = uuidOf(`${id.workspaceId} ${id.key} ${requestDigest}`);
    try {
      const body = await handle();
      await this.db.manager.update(IdempotencyKeyEntity, id, {
        status: reply.statusCode,
        // TypeORM's type of a JSON column knows objects only; null is JSON too.
        body: (route.secret === true ? null : body) as object,
        timeExpires: new Date(Date.now() + KEPT_MS),
      });
      return body;
    } catch (error) {
      await this.db.manager.delete(IdempotencyKeyEntity, id);
      throw error;
    }
  }

  /** Null when this request is the first of its key; the reply of the one before otherwise. */
  private async claim(id: { workspaceId: string; key: string }, requestDigest: string): Promise<StoredReply | null> {
    const giveUp = Date.now() + TIMEOUT_MS;
    for (;;) {
      await this.db.manager.delete(IdempotencyKeyEntity, { ...id, timeExpires: LessThan(new Date()) });
      const inserted: unknown[] = await this.db.query(
        `INSERT INTO idempotency_keys (workspace_id, key, request_digest, time_expires) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING RETURNING key`,
        [id.workspaceId, id.key, requestDigest, new Date(Date.now() + IN_PROGRESS_MS)],
      );
      if (inserted.length > 0) return null;
      const known = await this.db.manager.findOneBy(IdempotencyKeyEntity, id);
      if (known !== null && known.requestDigest !== requestDigest) {
        throw new AditError(
          'IDEMPOTENCY_MISMATCH',
          'This Idempotency-Key was used for another request; use a new one.',
        );
      }
      if (known !== null && known.status !== null) return { status: known.status, body: known.body };
      if (Date.now() > giveUp) {
        const message = 'The first request with this Idempotency-Key is still being answered.';
        const errors = [{ pointer: '', code: IN_PROGRESS, message }];
        throw new AditError('CONFLICT', message, { retryAfterSeconds: 5, errors });
      }
      await sleep(LOOK_AGAIN_MS);
    }
  }
}

/** A UUID that `text` determines: version 8 of RFC 9562, over SHA-256. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Both slash forms are one request, and so it is with another token of the same access key. */
function withoutSlash(url: string): string {
  const [path = '', text] = url.split('?', 2);
  const bare = path.replace(/\/$/, '');
  if (text === undefined) return bare;
  const query = new URLSearchParams(text);
  if (!query.has('token')) return `${bare}?${text}`;
  query.delete('token');
  return query.size === 0 ? bare : `${bare}?${query.toString()}`;
}
