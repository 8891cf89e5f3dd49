import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, digestOf, LIFETIME_SECONDS } from '@adit/contracts';
import { IdempotencyKeyEntity } from '@adit/database';
import { claimKey, keepReply, markDone, markMade, releaseKey, type KeyClaim, type KeyId } from '@adit/idempotency';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource, type EntityManager } from 'typeorm';
import { z } from 'zod';
import { madeByOlder } from './older-requests.js';
import type { Exchange, RouteDefinition } from './route.js';

/** Longer than any POST takes (a wait of 60 s); after it a request that died with its process may be sent again. */
const IN_PROGRESS_SECONDS = 120;
const TIMEOUT_MS = 5_000;
const POLL_MS = 100;
/** Tells the one conflict that is over by itself from those that refuse: clients of ours wait for it. */
const IN_PROGRESS = 'in_progress';

interface StoredReply {
  status: number;
  body: unknown;
  headers: Record<string, string>;
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
    // Another process, which took this one for dead, may have been faster.
    const done = async (manager: EntityManager): Promise<void> => {
      if (!(await markDone(manager, id))) throw inProgress();
    };
    const { newId, isDone } = claimed;
    Object.assign(exchange, { newId, isDone, idempotencyKey: id.key, done } satisfies Partial<Exchange>);
    try {
      const body = await handle();
      await keepReply(this.db.manager, id, {
        status: reply.statusCode,
        body: route.secret === true ? null : body,
        headers: keptHeaders(route, reply),
        seconds: LIFETIME_SECONDS.idempotencyKey,
      });
      return body;
    } catch (error) {
      await releaseKey(this.db.manager, id);
      throw error;
    }
  }

  /** The stored reply of the request before, or the claim: of what is still to be done, or of what is done and has no answer. */
  private async claim(id: KeyId, requestDigest: string, newId: string): Promise<StoredReply | KeyClaim> {
    const giveUp = Date.now() + TIMEOUT_MS;
    for (;;) {
      const claimed = await claimKey(this.db, id, { requestDigest, newId, seconds: IN_PROGRESS_SECONDS });
      if (claimed !== null) return claimed;
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
  private async olderClaim(
    id: KeyId,
    { path }: RouteDefinition,
    requestDigest: string,
    claim: KeyClaim,
  ): Promise<KeyClaim> {
    const made = await madeByOlder(this.db, path, { ...id, requestDigest });
    if (made === null) return claim;
    if (!(await markMade(this.db.manager, id, claim.newId, made))) throw inProgress();
    return { newId: made, isDone: true };
  }
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
