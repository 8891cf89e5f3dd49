import { randomUUID } from 'node:crypto';
import { AditError } from '@adit/contracts';
import { counter, histogram, httpMethod, openSpan, withContext, type OpenSpan, secondsBetween } from '@adit/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator } from '../auth/authenticator.js';
import type { Caller } from '../auth/caller.js';
import type { FailedLogins } from '../auth/failed-logins.js';
import type { Charge, RateLimits } from '../auth/rate-limits.js';
import { addCrossOrigin } from './cross-origin.js';

const seconds = histogram(
  'adit_http_request_seconds',
  'Time to answer a request, in seconds.',
  ['method', 'route'],
  secondsBetween(0.001, 100),
);
const answered = counter('adit_http_requests_total', 'Requests answered.', ['method', 'route', 'status']);

/** The API's own replies are data; the pages of the documentation set their own policy. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cache-control': 'no-store',
} as const;

/** A client's own request id is kept when it is one; anything else could forge log lines. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : randomUUID();
}

/**
 * What every request passes before its route: id, trace, headers and, below /api, the key and its limits, before any body
 * is read.
 */
export function addRequestHooks(
  fastify: FastifyInstance,
  authenticator: Authenticator,
  logins: FailedLogins,
  limits: RateLimits,
  corsOrigins: readonly string[],
): void {
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  const jobCharges = new WeakMap<FastifyRequest, Charge>();
  const authenticated = async ({ ip, headers: { authorization } }: FastifyRequest, token: unknown): Promise<Caller> => {
    const credential = authorization || (typeof token === 'string' ? token : '');
    if (credential !== '') logins.check(ip, credential);
    try {
      const caller = await authenticator.authenticate(authorization, token);
      logins.succeeded(credential);
      return caller;
    } catch (error) {
      if (credential !== '' && error instanceof AditError && error.code === 'UNAUTHENTICATED') logins.failed(ip);
      throw error;
    }
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id });
    const { method, headers } = request;
    const route = request.routeOptions.url;
    const parent = typeof headers.traceparent === 'string' ? headers.traceparent : null;
    const name = httpMethod(method);
    const attributes = {
      'http.request.method': name,
      ...(route !== undefined && { 'http.route': route }),
      // Without the query, which may hold a token.
      'url.path': request.url.split('?')[0],
      'url.scheme': request.protocol,
      'server.address': request.hostname,
      'network.protocol.version': request.raw.httpVersion,
      ...(headers['user-agent'] !== undefined && { 'user_agent.original': headers['user-agent'] }),
    };
    const span = openSpan(route === undefined ? name : `${name} ${route}`, { role: 'server', parent, attributes });
    spans.set(request, span);
    span.run(() => withContext({ requestId: request.id }, done));
  });
  addCrossOrigin(fastify, corsOrigins);
  fastify.addHook('onRequest', async (request: FastifyRequest & { caller?: Caller }, reply) => {
    if (!needsKey(request.url)) return;
    const { token } = request.query as { token?: unknown };
    const caller = await authenticated(request, token);
    const makesJob = isJobPost(request);
    const charge = limits.charge(caller, makesJob);
    if (charge !== null) {
      reply.headers(charge.headers);
      if (charge.refusal !== null) throw charge.refusal;
      if (makesJob) jobCharges.set(request, charge);
    }
    request.caller = caller;
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    // What made no job costs none.
    if (reply.statusCode >= 400 || reply.hasHeader('idempotency-replayed')) jobCharges.get(request)?.refund();
    const route = request.routeOptions.url ?? 'none';
    seconds.observe({ method: request.method, route }, reply.elapsedTime / 1000);
    answered.inc({ method: request.method, route, status: String(reply.statusCode) });
    const span = spans.get(request);
    span?.describe({ 'http.response.status_code': reply.statusCode });
    // What a client asked wrongly is no failure of ours.
    if (reply.statusCode >= 500) span?.failAs(String(reply.statusCode));
    span?.end();
    done();
  });
}

function isJobPost({ method, routeOptions, query }: FastifyRequest): boolean {
  if (method !== 'POST' || routeOptions.url?.replace(/\/$/, '') !== '/api/v1/jobs') return false;
  const { dry_run: dryRun = 'false' } = query as { dry_run?: unknown };
  return dryRun === 'false' || dryRun === '0';
}

/** Everything but the documentation, the way to it, and what orchestrators ask. The router compares decoded paths, so this must too. */
function needsKey(url: string): boolean {
  const path = decoded(url.split('?')[0] ?? '');
  return !/^\/(healthz|startupz|readyz|metrics)?\/?$|^\/api\/(docs(\/.*)?|openapi\.json)\/?$/.test(path);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
