import { AditError } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import { Controller, Get, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieName, readCookie, setCookie } from '../auth/cookies.js';
import { FailedLogins } from '../auth/failed-logins.js';
import { Sessions } from '../auth/sessions.js';
import type { SignInConfig } from '../auth/sign-in-settings.js';
import { AuditLog } from '../audit/audit-log.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import type { Caller } from '../http/caller.js';
import { Admission } from './admission.js';
import type { Checks } from './identity-provider.js';
import { memberLine } from './member-line.js';
import { SignIn } from './sign-in.js';
import { SignInFault } from './sign-in-fault.js';

const log = createLogger('sign-in');

/** Outside the API's prefix, and no part of the API: programs have keys. */
export const SIGN_IN_ROUTES = [
  { path: 'console/session', method: 'GET' },
  { path: 'console/session/end', method: 'POST' },
  { path: 'console/session/workspaces/:workspaceId', method: 'POST' },
  { path: 'console/oidc/start', method: 'POST' },
  { path: 'console/oidc/callback', method: 'GET' },
] as const;

/** Time that somebody may take at the provider. */
const AWAY_SECONDS = 600;
/** State, nonce, verifier and the token of an invitation, if there is one. */
const KEPT = /^([\w-]{43})\.([\w-]{43})\.([\w-]{43})\.([\w-]{43})?$/;

interface Kept {
  checks: Checks;
  invitation: string | null;
}

type Request = FastifyRequest & { caller?: Caller };

/** How a browser signs in by the provider, and out again. */
@Controller()
export class SignInController {
  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'console'>,
    @Inject(SignIn) private readonly signIn: SignIn,
    @Inject(Admission) private readonly admission: Admission,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(FailedLogins) private readonly logins: FailedLogins,
    @Inject(AuditLog) private readonly audit: AuditLog,
  ) {}

  /** What the page cannot know: whether the browser is signed in, and by whom it could be. */
  @Get('console/session')
  async session(@Req() request: Request, @Res({ passthrough: true }) reply: FastifyReply) {
    if (!this.config.console) throw new AditError('NOT_FOUND', 'There is nothing at this address.');
    const { ready } = this.signIn;
    if (ready === null) return { provider: null, signed_in: false };
    const { base, oidcIssuer, oidcName = new URL(oidcIssuer).host, oidcContact = null } = ready.config;
    const token = this.sessions.tokenIn(request.headers.cookie);
    const isSignedIn = token !== null && (await this.isSession(request, token));
    if (token !== null && !isSignedIn) void reply.header('set-cookie', setCookie(base, gone('session')));
    return { provider: { name: oidcName, contact: oidcContact }, signed_in: isSignedIn };
  }

  /** The address at the provider; an invitation comes as `Authorization: Invitation …`. */
  @Post('console/oidc/start')
  @HttpCode(200)
  async start(@Req() { headers }: Request, @Res({ passthrough: true }) reply: FastifyReply): Promise<{ url: string }> {
    const { config, provider } = this.signIn.required();
    if (headers.origin !== config.base.origin) {
      throw new AditError('FORBIDDEN', `Signing in works at ${config.base.href}console/ alone: open it there.`);
    }
    const [, invitation = ''] = /^Invitation ([\w-]{43})$/.exec(headers.authorization ?? '') ?? [];
    const { address, checks } = await provider.begin().catch((cause: unknown) => {
      log.warn({ err: cause }, 'somebody cannot sign in by the provider');
      const message = 'The provider cannot be asked just now: try again in a while, or sign in with a key.';
      throw new AditError('UNAVAILABLE', message, { cause });
    });
    const value = [checks.state, checks.nonce, checks.verifier, invitation].join('.');
    void reply.header('set-cookie', setCookie(config.base, { name: 'sign-in', value, seconds: AWAY_SECONDS }));
    return { url: address.href };
  }

  /** Where the provider leads back to. Whatever comes of it is a page of the console. */
  @Get('console/oidc/callback')
  async callback(@Req() request: Request, @Res() reply: FastifyReply): Promise<void> {
    const { config } = this.signIn.required();
    const { base, sessionHours } = config;
    const kept = keptChecks(config, request.headers.cookie);
    // Any page can make a browser send what was not begun: that is refused without a look, and takes nothing from its address.
    if (kept !== null) this.logins.check(request.ip, '');
    void reply.header('set-cookie', setCookie(base, gone('sign-in')));
    try {
      const value = await this.admitted(request, kept);
      void reply.header('set-cookie', setCookie(base, { name: 'session', value, seconds: sessionHours * 3_600 }));
      void reply.redirect(`${base.href}console/#/jobs`, 303);
    } catch (error) {
      if (!(error instanceof SignInFault)) throw error;
      const { fault, message: reason } = error;
      log.info({ fault, reason, requestId: request.id }, 'somebody was not signed in');
      void reply.redirect(`${base.href}console/#/sign-in?fault=${fault}`, 303);
    }
  }

  @Post('console/session/end')
  @HttpCode(200)
  async end(@Req() request: Request, @Res({ passthrough: true }) reply: FastifyReply): Promise<{ message: string }> {
    const { config } = this.signIn.required();
    const caller = memberOf(request);
    await this.sessions.end(caller);
    await this.note(caller, 'deleted', request);
    void reply.header('set-cookie', setCookie(config.base, gone('session')));
    return { message: 'You are signed out.' };
  }

  /** Looks at another workspace of the same person from now on. */
  @Post('console/session/workspaces/:workspaceId')
  @HttpCode(200)
  async move(@Req() request: Request, @Param('workspaceId') workspaceId: string): Promise<{ message: string }> {
    const caller = memberOf(request);
    await this.sessions.move(caller, workspaceId);
    await this.note(caller, 'changed', request);
    return { message: `This browser looks at the workspace ${workspaceId}.` };
  }

  /** The token of a new session, in place of one that the browser has. Throws SignInFault. */
  private async admitted(request: Request, kept: Kept | null): Promise<string> {
    if (kept === null) throw new SignInFault('failed', 'The browser has not begun to sign in, or did too long ago.');
    // Taken before it is known how this ends: else many at once would all reach the provider.
    this.logins.failed(request.ip);
    const token = await this.exchanged(request, kept).catch((error: unknown) => {
      if (!(error instanceof SignInFault) || error.fault === 'unavailable') this.logins.forgiven(request.ip);
      throw error;
    });
    this.logins.forgiven(request.ip);
    const former = this.sessions.tokenIn(request.headers.cookie);
    const before = former === null ? null : await this.sessions.find(former);
    if (before !== null) await this.sessions.end(before);
    return token;
  }

  private async exchanged({ url, id: requestId }: Request, { checks, invitation }: Kept): Promise<string> {
    const { config, provider } = this.signIn.required();
    const who = await provider.finish(new URL(url, config.base).search, checks);
    return this.admission.admit(who, { invitation, requestId });
  }

  private async isSession({ ip }: Request, token: string): Promise<boolean> {
    this.logins.check(ip, token);
    const isKnown = (await this.sessions.find(token)) !== null;
    if (isKnown) this.logins.succeeded(token);
    else if (!(await this.sessions.isOver(token))) this.logins.failed(ip);
    return isKnown;
  }

  private async note(caller: Caller, action: 'changed' | 'deleted', request: Request): Promise<void> {
    const { workspaceId, keyId: id, signer: resourceId, name } = caller;
    const done = { action, resource: 'sessions', resourceId, requestId: request.id } as const;
    await this.audit.write(memberLine({ workspaceId, id, name }, done));
  }
}

function gone(name: 'session' | 'sign-in') {
  return { name, value: '', seconds: 0 };
}

/** Throws CONFLICT for a request by a key. */
function memberOf({ caller }: Request): Caller {
  if (caller?.kind === 'member') return caller;
  throw new AditError('CONFLICT', 'This is for browsers that are signed in; an API key has no session.');
}

/** What the browser kept while it was at the provider; null without it. */
function keptChecks({ base }: SignInConfig, cookie: string | undefined): Kept | null {
  const value = readCookie(cookie, cookieName(base, 'sign-in')) ?? '';
  const [, state, nonce, verifier, invitation] = KEPT.exec(value) ?? [];
  if (state === undefined || nonce === undefined || verifier === undefined) return null;
  return { checks: { state, nonce, verifier }, invitation: invitation ?? null };
}
