import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, digestOf } from '@adit/contracts';
import { IdempotencyKeyEntity, inSeconds } from '@adit/database';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { z } from 'zod';
import { madeByOlder } from './older-requests.js';
import type { Exchange, RouteDefinition } from './route.js';

const KEPT_SECONDS = 24 * 3600;
/** Longer than any POST takes (a wait of 60 s); after it a request that died with its process may be sent again. */
const IN_PROGRESS_SECONDS = 120;
const TIMEOUT_MS = 5_000;
const POLL_MS = 100;
/** Tells the one conflict that is over by itself from those that refuse: clients of ours wait for it. */
const IN_PROGRESS = 'in_progress';

/** A key of a workspace. */
interface KeyId {
  workspaceId: string;
  key: string;
}

interface StoredReply {
  status: number;
  body: unknown;
  headers: Record<string, string>;
}

/** A request that is this process's to answer. */
interface Claim {
  newId: string;
  isDone: boolean;
  /** It was begun by a build that did not note what it had done. */
  isOlder?: boolean;
}

/**
 * `Idempotency-Key` on every POST but forms, whose files nobody compares: the same key and body give the stored reply, another body
 * is refused. Only replies that did something are kept; after a refusal the key is free again. What was done is marked in the
 * transaction that did it (`Exchange.done`), so that nothing is done twice when a process dies before it has answered.
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
    id: KeyId,
    route: RouteDefinition,
    exchange: Exchange,
    handle: () => Promise<unknown>,
  ): Promise<unknown> {
    const { request, reply } = exchange;
    const requestDigest = digestOfRequest(route, request);
    const found = await this.claim(id, requestDigest, exchange.newId);
    const claimed =
      'isOlder' in found && found.isOlder ? await this.olderClaim(id, route, requestDigest, found) : found;
    if ('status' in claimed) {
      if (route.secret === true) {
        throw new AditError('CONFLICT', 'This was done already; its reply held a secret, so it was not kept.');
      }
      reply.status(claimed.status).headers({ ...claimed.headers, 'idempotency-replayed': 'true' });
      return claimed.body;
    }
    if (claimed.isDone) reply.header('idempotency-replayed', 'true');
    const done = (manager: EntityManager): Promise<void> => markDone(manager, id);
    const { newId, isDone } = claimed;
    Object.assign(exchange, { newId, isDone, idempotencyKey: id.key, done } satisfies Partial<Exchange>);
    try {
      const body = await handle();
      await this.db.manager.update(IdempotencyKeyEntity, id, {
        status: reply.statusCode,
        // TypeORM's type of a JSON column knows objects only; null is JSON too.
        body: (route.secret === true ? null : body) as object,
        headers: keptHeaders(route, reply),
        timeExpires: inSeconds(KEPT_SECONDS),
      });
      return body;
    } catch (error) {
      await this.release(id);
      throw error;
    }
  }

  /** The stored reply of the request before, or the claim: of what is still to be done, or of what is done and has no answer. */
  private async claim(id: KeyId, requestDigest: string, newId: string): Promise<StoredReply | Claim> {
    const giveUp = Date.now() + TIMEOUT_MS;
    for (;;) {
      const values = [id.workspaceId, id.key, requestDigest, newId, IN_PROGRESS_SECONDS];
      const [begun]: Claim[] = await this.db.query(BEGIN, values);
      if (begun !== undefined) return begun;
      const [takenOver]: Claim[] = await this.db.query(TAKE_OVER, values);
      if (takenOver !== undefined) return takenOver;
      const known = await this.db.manager.findOneBy(IdempotencyKeyEntity, id);
      if (known !== null && known.requestDigest !== requestDigest) {
        throw new AditError(
          'IDEMPOTENCY_MISMATCH',
          'This Idempotency-Key was used for another request; use a new one.',
        );
      }
      if (known !== null && known.status !== null) {
        return { status: known.status, body: known.body, headers: known.headers ?? {} };
      }
      if (Date.now() > giveUp) throw inProgress();
      await sleep(POLL_MS);
    }
  }

  /** A resource of an older build is recorded as this build would have recorded it. */
  private async olderClaim(id: KeyId, { path }: RouteDefinition, requestDigest: string, claim: Claim): Promise<Claim> {
    const made = await madeByOlder(this.db, path, { ...id, requestDigest });
    if (made === null) return claim;
    const where = { ...id, newId: claim.newId, timeDone: IsNull() };
    const { affected } = await this.db.manager.update(IdempotencyKeyEntity, where, {
      newId: made,
      timeDone: inSeconds(0),
    });
    if (affected !== 1) throw inProgress();
    return { newId: made, isDone: true };
  }

  /** After a failure: what was refused leaves nothing; what was done is answered when the request is repeated. */
  private async release({ workspaceId, key }: KeyId): Promise<void> {
    const unanswered = { workspaceId, key, status: IsNull() };
    await this.db.manager.delete(IdempotencyKeyEntity, { ...unanswered, timeDone: IsNull() });
    await this.db.manager.update(IdempotencyKeyEntity, unanswered, { timeExpires: inSeconds(0) });
  }
}

const BEGIN = `
  INSERT INTO idempotency_keys (workspace_id, key, request_digest, new_id, time_expires)
  VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))
  ON CONFLICT DO NOTHING RETURNING new_id AS "newId", false AS "isDone"`;

/**
 * Takes over a key whose time is over: a day after an answer, or when the process that was to answer counts as dead.
 * The result of that process answers the same request alone, for a day. A process that is still at work keeps the row
 * locked, and nobody waits for the lock here.
 */
const TAKE_OVER = `
  WITH k AS MATERIALIZED (
    SELECT *, request_digest = $3 AS is_same,
           status IS NULL AND (time_done IS NULL OR time_done > now() - interval '24 hours') AS has_died
      FROM idempotency_keys WHERE workspace_id = $1 AND key = $2 AND time_expires <= now()
       FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE idempotency_keys i
       SET request_digest = $3, time_expires = now() + make_interval(secs => $5), status = NULL, body = NULL, headers = NULL,
           new_id = CASE WHEN k.has_died AND k.is_same THEN coalesce(k.new_id, $4::uuid) ELSE $4::uuid END,
           time_done = CASE WHEN k.has_died AND k.is_same THEN k.time_done END
      FROM k
     WHERE i.workspace_id = k.workspace_id AND i.key = k.key AND (k.is_same OR NOT k.has_died OR k.time_done IS NULL)
    RETURNING i.new_id AS "newId", i.time_done IS NOT NULL AS "isDone",
              k.has_died AND k.is_same AND k.new_id IS NULL AS "isOlder"
  ) SELECT * FROM taken`;

/** Throws CONFLICT where another process, which took this one for dead, was faster. */
async function markDone(manager: EntityManager, id: KeyId): Promise<void> {
  const where = { ...id, timeDone: IsNull() };
  const { affected } = await manager.update(IdempotencyKeyEntity, where, { timeDone: inSeconds(0) });
  if (affected !== 1) throw inProgress();
}

function inProgress(): AditError {
  const message = 'The first request with this Idempotency-Key is still being answered.';
  return new AditError('CONFLICT', message, {
    retryAfterSeconds: 5,
    errors: [{ pointer: '', code: IN_PROGRESS, message }],
  });
}

/** Returns the digest that makes two requests the same one. For a body of bytes the headers say what to do with it. */
function digestOfRequest({ rawBody, headers }: RouteDefinition, request: FastifyRequest): string {
  const parts: unknown[] = [request.method, withoutSlash(request.url), request.body ?? null];
  if (rawBody !== undefined && headers instanceof z.ZodObject) {
    parts.push(Object.keys(headers.shape).map((name) => request.headers[name.toLowerCase()] ?? null));
  }
  return digestOf(parts);
}

/** Returns the reply headers that the route declares, unchanged. */
function keptHeaders({ replyHeaders = [] }: RouteDefinition, reply: FastifyReply): Record<string, string> {
  const names = replyHeaders.map((name) => name.toLowerCase()).filter((name) => reply.hasHeader(name));
  return Object.fromEntries(names.map((name) => [name, String(reply.getHeader(name))]));
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
