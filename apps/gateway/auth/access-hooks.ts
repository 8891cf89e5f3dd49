import { AditError, isRecord } from '@adit/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../http/caller.js';
import type { Authenticator } from './authenticator.js';
import type { FailedLogins } from './failed-logins.js';
import type { Charge, RateLimits } from './rate-limits.js';
import { addRefusedBodies, type RefusedBodies } from './refused-bodies.js';

/** Checks the key and its limits on every request below /api, before any of its body is read. */
export function addAccessHooks(
  fastify: FastifyInstance,
  authenticator: Authenticator,
  logins: FailedLogins,
  limits: RateLimits,
  refused: RefusedBodies,
): void {
  const jobCharges = new WeakMap<FastifyRequest, Charge>();
  const authenticated = async ({ ip, headers: { authorization } }: FastifyRequest, token: unknown): Promise<Caller> => {
    const credential = authorization || (typeof token === 'string' ? token : '');
    if (credential !== '') logins.check(ip, credential);
    try {
      const caller = await authenticator.authenticate(authorization, token, ip);
      logins.succeeded(credential);
      return caller;
    } catch (error) {
      if (credential !== '' && error instanceof AditError && error.code === 'UNAUTHENTICATED') logins.failed(ip);
      throw error;
    }
  };
  fastify.addHook('onRequest', async (request: FastifyRequest & { caller?: Caller }, reply) => {
    if (!needsKey(request.url)) return;
    const token = isRecord(request.query) ? request.query['token'] : undefined;
    const caller = await authenticated(request, token);
    const makesJob = isJobPost(request);
    const charge = limits.charge(caller, makesJob);
    if (charge !== null) {
      reply.headers(charge.headers);
      if (charge.refusal !== null) throw charge.refusal;
      if (makesJob) jobCharges.set(request, charge);
    }
    request.caller = caller;
    await refused.admit(caller, request, reply);
  });
  addRefusedBodies(fastify, refused);
  fastify.addHook('onResponse', (request, reply, done) => {
    // A request that made no job costs none.
    if (reply.statusCode >= 400 || reply.hasHeader('idempotency-replayed')) jobCharges.get(request)?.refund();
    done();
  });
}

export function isJobPost({ method, routeOptions, query }: FastifyRequest): boolean {
  if (method !== 'POST' || routeOptions.url?.replace(/\/$/, '') !== '/api/v1/jobs') return false;
  const { dry_run: dryRun = 'false' } = isRecord(query) ? query : {};
  return dryRun === 'false' || dryRun === '0';
}

/**
 * Everything but the documentation, the way to it, the page of the editor, and what orchestrators ask. The router compares
 * decoded paths, so this must too.
 */
export function needsKey(url: string): boolean {
  const path = decoded(url.split('?')[0] ?? '');
  return ![
    /^\/(healthz|startupz|readyz|metrics)?\/?$/,
    /^\/api\/(docs(\/.*)?|openapi\.json)\/?$/,
    /^\/editor\/(assets\/)?[^/]+\/?$/,
  ].some((open) => open.test(path));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
