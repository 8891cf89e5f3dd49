import { AditError } from '@adit/contracts';
import { CheckedFetch, refusalIn, webAddressFault } from '@adit/net';
import type { Configuration } from 'openid-client';
import { issuerOf, type SignInConfig } from '../auth/sign-in-settings.js';
import { mergedClaims, personOf, type Claims, type Person } from './claims.js';
import { SignInFault } from './sign-in-fault.js';

const TIMEOUT_MS = 10_000;
/** Of a document or an answer; those of large providers have some kilobytes. */
const MAX_BYTES = 1024 ** 2;
/** Time for which what a provider says of itself is believed, and for which its silence is. */
const KNOWN_MS = 3_600_000;
const SILENT_MS = 5_000;
/** OpenID Connect Core, 8. */
const MAX_SUBJECT = 255;

/** What the browser keeps while somebody is at the provider; each is looked for in what comes back. */
export interface Checks {
  state: string;
  nonce: string;
  verifier: string;
}

/** Loaded where somebody signs in by a provider alone. */
const library = () => import('openid-client');

/** An OpenID Connect provider: the authorization code flow with PKCE, state and nonce. */
export class IdentityProvider {
  private readonly web: CheckedFetch;
  private known: { configuration: Promise<Configuration>; until: number } | null = null;

  constructor(private readonly config: SignInConfig) {
    this.web = new CheckedFetch({ policy: config.policy, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  }

  /** Throws an AditError that says what is wrong with the issuer, or why it cannot be asked. */
  async check(): Promise<void> {
    await this.configuration();
  }

  /** The address at the provider that somebody is sent to, and what their browser keeps meanwhile. */
  async begin(): Promise<{ address: URL; checks: Checks }> {
    const configuration = await this.reached();
    const client = await library();
    const checks = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const address = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.callback().href,
      scope: [...new Set(['openid', ...this.config.oidcScopes])].join(' '),
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
    });
    return { address, checks };
  }

  /** Who came back with this query, as it was sent. Throws SignInFault. */
  async finish(search: string, { state, nonce, verifier }: Checks): Promise<{ person: Person; claims: Claims }> {
    const configuration = await this.reached();
    const client = await library();
    const came = this.callback();
    came.search = search;
    try {
      const tokens = await client.authorizationCodeGrant(configuration, came, {
        ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      });
      const identity = tokens.claims();
      if (identity === undefined || identity.sub.length > MAX_SUBJECT) throw new Error('There is no subject.');
      const { issuer, userinfo_endpoint: more } = configuration.serverMetadata();
      // The library lets the provider of some hosts say it otherwise.
      if (identity.iss !== issuer) throw new Error(`The id token is from ${identity.iss}, not from ${issuer}.`);
      const info =
        more === undefined ? {} : await client.fetchUserInfo(configuration, tokens.access_token, identity.sub);
      const claims = mergedClaims(identity, info);
      return { person: personOf(issuerOf(this.config.oidcIssuer), identity.sub, claims), claims };
    } catch (error) {
      throw new SignInFault(refusalIn(error) === null ? 'failed' : 'unavailable', explained(error), { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.web.close();
  }

  private callback(): URL {
    return new URL('console/oidc/callback', this.config.base);
  }

  /** Throws SignInFault. */
  private reached(): Promise<Configuration> {
    return this.configuration().catch((error: unknown) => {
      throw new SignInFault('unavailable', AditError.from(error).message, { cause: error });
    });
  }

  private configuration(): Promise<Configuration> {
    const now = performance.now();
    if (this.known !== null && this.known.until > now) return this.known.configuration;
    const known = { configuration: this.discover(), until: now + KNOWN_MS };
    this.known = known;
    known.configuration.catch(() => (known.until = performance.now() + SILENT_MS));
    return known.configuration;
  }

  /** Throws an AditError where it is not for whoever signs in to change anything: the provider is away, or ails. */
  private async ask(...[address, asked]: Parameters<CheckedFetch['fetch']>): Promise<Response> {
    const answer = await this.web.fetch(address, asked).catch((cause: unknown) => {
      throw refusalIn(cause) ?? new AditError('UNAVAILABLE', explained(cause), { cause });
    });
    if (answer.status < 500) return answer;
    throw new AditError('UNAVAILABLE', `${new URL(address).origin} answered ${answer.status}.`);
  }

  private async discover(): Promise<Configuration> {
    const { oidcIssuer, oidcClientId, oidcClientSecret, policy } = this.config;
    const issuer = new URL(oidcIssuer);
    const fault = webAddressFault(issuer, policy);
    if (fault !== null) throw new AditError('VALIDATION', `ADIT_OIDC_ISSUER is refused: ${settingFor(fault)}.`);
    const client = await library();
    try {
      const configuration = await client.discovery(issuer, oidcClientId, oidcClientSecret, undefined, {
        [client.customFetch]: (address, asked) => this.ask(address, asked),
        // The signature of an id token is looked at, too: TLS alone would say whose it is.
        execute: [client.enableNonRepudiationChecks, ...(policy.allowHttp ? [client.allowInsecureRequests] : [])],
      });
      refuseTemplate(configuration.serverMetadata().issuer);
      return configuration;
    } catch (cause) {
      throw new AditError('UNAVAILABLE', `ADIT_OIDC_ISSUER (${oidcIssuer}) does not work: ${explained(cause)}`, {
        cause,
      });
    }
  }
}

/** Throws where the issuer stands for whoever has an account anywhere, as of Entra's `common` and `organizations`: their `sub` are no one's. */
export function refuseTemplate(issuer: string): void {
  if (!issuer.includes('{')) return;
  throw new Error(
    `it lets in people of any tenant (${issuer}); name the tenant: https://login.microsoftonline.com/<tenant id>/v2.0`,
  );
}

function settingFor(fault: string): string {
  return fault.replace('use https://', 'use https://, or set ADIT_OIDC_ALLOW_HTTP');
}

/** The words of the library with those of what caused it, of which the first often are "something went wrong". */
function explained(error: unknown): string {
  const refusal = refusalIn(error);
  if (refusal !== null) return refusal.message;
  const words: string[] = [];
  for (let cause: unknown = error; cause instanceof Error && words.length < 3; cause = cause.cause) {
    if (cause.message !== '' && !words.includes(cause.message)) words.push(cause.message);
  }
  return words.join(': ').slice(0, 500) || String(error);
}
