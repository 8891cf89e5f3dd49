import { AditApiError, AditClient, AditConnectionError } from '@adit/client';
import { ownFetch, ownFetchIn } from '../../shared/own-fetch.js';

/** By whom people sign in, and whom they ask who are not let in. */
export interface Provider {
  name: string;
  contact: string | null;
}

/** Sign-in by a provider, where the service has one. What the browser then sends is a cookie, which no script sees. */
export class BrowserSession {
  /** Asks as whoever is signed in, of whatever workspace. */
  readonly client: AditClient;
  private shown: { workspaceId: string; client: AditClient } | null = null;

  constructor(private readonly address: string) {
    this.client = new AditClient({ url: address, fetch: ownFetch });
  }

  /** Asks of this workspace alone: it is refused once the session has moved to another one, in another tab. */
  clientOf(workspaceId: string): AditClient {
    if (this.shown?.workspaceId !== workspaceId) {
      this.shown = { workspaceId, client: new AditClient({ url: this.address, fetch: ownFetchIn(workspaceId) }) };
    }
    return this.shown.client;
  }

  /** Without a provider where the service has none, or does not answer: that shows in whatever is asked next. */
  async offered(): Promise<{ provider: Provider | null; isSignedIn: boolean }> {
    const reply = await this.ask('GET', 'session').catch(() => null);
    const body: unknown = reply === null ? null : await reply.json();
    if (typeof body !== 'object' || body === null) return { provider: null, isSignedIn: false };
    return {
      provider: 'provider' in body ? providerOf(body.provider) : null,
      isSignedIn: 'signed_in' in body && body.signed_in === true,
    };
  }

  /** The address at the provider. `invitation`: token of one to be accepted. */
  async begin(invitation: string | null): Promise<string> {
    const headers: Record<string, string> = invitation === null ? {} : { authorization: `Invitation ${invitation}` };
    const body: unknown = await (await this.ask('POST', 'oidc/start', headers)).json();
    return typeof body === 'object' && body !== null && 'url' in body ? String(body.url) : '';
  }

  async end(): Promise<void> {
    await this.ask('POST', 'session/end');
  }

  /** Looks at another workspace from now on. */
  async move(workspaceId: string): Promise<void> {
    await this.ask('POST', `session/workspaces/${encodeURIComponent(workspaceId)}`);
  }

  /** Throws AditApiError, AditConnectionError. */
  private async ask(method: string, path: string, headers: Record<string, string> = {}): Promise<Response> {
    const reply = await ownFetch(`${this.address}/console/${path}`, { method, headers }).catch((cause: unknown) => {
      throw new AditConnectionError(`${this.address} did not answer.`, { cause });
    });
    if (!reply.ok) throw await AditApiError.of(reply);
    return reply;
  }
}

function providerOf(given: unknown): Provider | null {
  if (typeof given !== 'object' || given === null || !('name' in given)) return null;
  const contact = 'contact' in given && typeof given.contact === 'string' ? given.contact : null;
  return { name: String(given.name), contact };
}
