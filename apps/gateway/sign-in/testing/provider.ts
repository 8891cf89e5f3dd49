/** A real OpenID Connect provider on loopback, and somebody who signs in there without a browser, for the specs. */
import { createServer } from 'node:http';
import { createServer as createSocket, type AddressInfo } from 'node:net';
import { elementAt } from '@adit/contracts';
import { jest } from '@jest/globals';
import type { Configuration } from 'oidc-provider';

export const CLIENT = { oidcClientId: 'adit', oidcClientSecret: 'a secret of the specs' };

interface Account {
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: string[];
}

export interface TestProvider {
  issuer: string;
  /** What it says of people, by the name that they sign in with. */
  accounts: Map<string, Account>;
  /** From now on it answers nothing but 503. */
  ails: boolean;
  close(): Promise<void>;
}

/** A port of loopback that was free a moment ago: addresses have to be known before anything listens. */
export async function freePort(): Promise<number> {
  const socket = createSocket();
  await new Promise<void>((resolve) => socket.listen(0, '127.0.0.1', resolve));
  const { port } = socket.address() as AddressInfo;
  await new Promise((resolve) => socket.close(resolve));
  return port;
}

/** Its own form takes any password; nobody is asked what they agree to. */
export async function startProvider(callback: string): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const accounts: TestProvider['accounts'] = new Map();
  // It says of each of its defaults that it is not for production.
  for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockReturnValue();
  const { Provider } = await import('oidc-provider');
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.oidcClientId, client_secret: CLIENT.oidcClientSecret, redirect_uris: [callback] }],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    cookies: { keys: ['a key of the specs'] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, email_verified: true, ...accounts.get(id) }) }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: CLIENT.oidcClientId,
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  } satisfies Configuration);
  const answer = provider.callback();
  const running: TestProvider = {
    issuer,
    accounts,
    ails: false,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  server.on('request', (request, response) => {
    if (running.ails) response.writeHead(503).end();
    else void answer(request, response);
  });
  return running;
}

/** Keeps cookies and follows redirects as a browser does. */
export class UserAgent {
  private readonly jar = new Map<string, string>();

  constructor(private readonly base: string) {}

  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url);
    const cookies = [...this.jar].filter(([key]) => key.startsWith(`${host} `));
    const cookie = cookies.map(([key, value]) => `${key.split(' ')[1]}=${value}`).join('; ');
    const headers = new Headers(init.headers);
    if (cookie !== '') headers.set('cookie', cookie);
    const reply = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) this.jar.delete(`${host} ${name}`);
      else this.jar.set(`${host} ${name}`, value);
    }
    return reply;
  }

  cookie(name: string): string | undefined {
    return this.jar.get(`${new URL(this.base).host} ${name}`);
  }

  /** Begins to sign in as the page does, and goes as far as the provider leads back: the address that it leads to. */
  async toCallback(login: string, invitation?: string): Promise<string> {
    const begun = await this.fetch(`${this.base}/console/oidc/start`, {
      method: 'POST',
      headers: {
        origin: this.base,
        ...(invitation === undefined ? {} : { authorization: `Invitation ${invitation}` }),
      },
    });
    if (begun.status !== 200) throw new Error(`Signing in does not begin: ${await begun.text()}`);
    const { url } = (await begun.json()) as { url: string };
    let next = await this.fetch(url);
    for (let at = url; ; next = await this.fetch(at)) {
      const leads = next.headers.get('location');
      if (leads === null) {
        next = await this.logIn(at, login);
        at = new URL(elementAt([next.headers.get('location') ?? ''], 0), at).href;
      } else at = new URL(leads, at).href;
      if (at.startsWith(this.base)) return at;
    }
  }

  /** Signs in; answers the page of the console that this ends at. */
  async signIn(login: string, invitation?: string): Promise<string> {
    return this.page(await this.toCallback(login, invitation));
  }

  /** The fragment of the page that the callback leads to. */
  async page(callback: string): Promise<string> {
    const reply = await this.fetch(callback);
    const location = reply.headers.get('location');
    if (location === null) throw new Error(`The callback answered ${reply.status}: ${await reply.text()}`);
    return new URL(location).hash;
  }

  private logIn(form: string, login: string): Promise<Response> {
    return this.fetch(form, { method: 'POST', body: new URLSearchParams({ prompt: 'login', login, password: 'any' }) });
  }
}
