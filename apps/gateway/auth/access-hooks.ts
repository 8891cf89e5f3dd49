import { AditError, isRecord } from '@adit/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../http/caller.js';
import type { Authenticator } from './authenticator.js';
import type { FailedLogins } from './failed-logins.js';
import { refuseForgery } from './forgery.js';
import type { Charge, RateLimits } from './rate-limits.js';
import { addRefusedBodies, type RefusedBodies } from './refused-bodies.js';

/** Checks the key or session and its limits on every request below /api, before any of its body is read. */
export function addAccessHooks(
  fastify: FastifyInstance,
  authenticator: Authenticator,
  logins: FailedLogins,
  limits: RateLimits,
  refused: RefusedBodies,
): void {
  const jobCharges = new WeakMap<FastifyRequest, Charge>();
  const authenticated = async (request: FastifyRequest, token: unknown): Promise<Caller> => {
    const { ip, headers } = request;
    const { authorization } = headers;
    const ticket = (authorization ?? '') === '' ? ticketOf(request) : null;
    const session = authenticator.sessionIn(headers.cookie);
    const credential = authorization || (typeof token === 'string' ? token : (ticket?.ticket ?? session ?? ''));
    if (credential !== '') logins.check(ip, credential);
    try {
      const caller = await (ticket === null
        ? authenticator.authenticate({ authorization, token, session }, ip)
        : authenticator.openRecording(ticket.jobId, ticket.ticket));
      logins.succeeded(credential);
      // Browsers send a cookie by themselves, whoever made the page.
      if (caller.kind !== 'member' || ticket !== null || session === null) return caller;
      refuseForgery(request);
      return await inShownWorkspace(caller, request, () => authenticator.sessionNow(session));
    } catch (error) {
      const isWrong = credential !== '' && error instanceof AditError && error.code === 'UNAUTHENTICATED';
      if (isWrong && !(credential === session && (await authenticator.isSessionOver(session)))) logins.failed(ip);
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

/** Id of the workspace that the page shows, which the session may have left in another tab. */
const WORKSPACE_HEADER = 'x-adit-workspace';

/** The caller, as `again` finds them where what is remembered is of another workspace than is shown. Throws CONFLICT where that is so. */
async function inShownWorkspace(
  caller: Caller,
  { headers }: FastifyRequest,
  again: () => Promise<Caller>,
): Promise<Caller> {
  const shown = headers[WORKSPACE_HEADER];
  if (shown === undefined || shown === caller.workspaceId) return caller;
  const now = await again();
  if (shown === now.workspaceId) return now;
  throw new AditError(
    'CONFLICT',
    'This browser looks at another workspace by now than the page shows: load the page again.',
  );
}

/** Below it are the playlist and the parts of a recording. */
const RECORDING = '/api/v1/jobs/:jobId/recording/';

/** The ticket of a request for the playlist or a part of a recording; null for any other request. */
function ticketOf({ method, routeOptions, params, query }: FastifyRequest): { jobId: string; ticket: string } | null {
  const { url } = routeOptions;
  if ((method !== 'GET' && method !== 'HEAD') || url?.startsWith(RECORDING) !== true || url === RECORDING) return null;
  const [jobId, ticket] = [isRecord(params) && params['jobId'], isRecord(query) && query['ticket']];
  return typeof jobId === 'string' && typeof ticket === 'string' ? { jobId, ticket } : null;
}

export function isJobPost({ method, routeOptions, query }: FastifyRequest): boolean {
  if (method !== 'POST' || routeOptions.url?.replace(/\/$/, '') !== '/api/v1/jobs') return false;
  const { dry_run: dryRun = 'false' } = isRecord(query) ? query : {};
  return dryRun === 'false' || dryRun === '0';
}

/**
 * Everything but the documentation, the way to it, the pages of people and how they sign in, media by a signed link, and what
 * orchestrators ask. The router compares
 * decoded paths, so this must too.
 */
export function needsKey(url: string): boolean {
  const path = decoded(url.split('?')[0] ?? '');
  return ![
    /^\/(healthz|startupz|readyz|metrics)?\/?$/,
    /^\/api\/(docs(\/.*)?|openapi\.json)\/?$/,
    /^\/editor\/(assets\/)?[^/]+\/?$/,
    /^\/console(\/assets\/[^/]+|\/sign-in|\/session|\/oidc\/(start|callback))?\/?$/,
    /^\/api\/v1\/media\/?$/,
  ].some((open) => open.test(path));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
