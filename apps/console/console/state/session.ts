import { AditApiError, AditClient, type Me } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import { forgetKey, keepKey, keptKey } from '../../shared/kept-key.js';
import { BrowserSession, type Provider } from './browser-session.js';

/** Address of the service: the page lies at `<service>/console/`, behind whatever prefix. */
export function serviceAddress(page: string = location.href): string {
  return new URL('..', new URL('.', page)).href.replace(/\/$/, '');
}

/** A key, or a link, that was just made. */
export interface Secret {
  name: string;
  /** In place of one that speaks of a key. */
  title?: string;
  /** What it consists of, by name. */
  parts: [name: string, value: string][];
}

/** Who is signed in. */
export class Session extends Observable {
  me: Me | null = null;
  client: AditClient;
  /** True while a kept key is tried. */
  opening = true;
  /** The key that was good is no longer valid. */
  ended = false;
  /** A link that signs in once was used up, or too old. */
  linkFailed = false;
  /** Null where the service has none; undefined while that is not known. */
  provider: Provider | null | undefined;
  private readonly browser: BrowserSession;
  /** Shown once, also when the session ends meanwhile: it cannot be read again. */
  secret: Secret | null = null;
  private key = '';

  constructor(readonly address = serviceAddress()) {
    super();
    this.client = new AditClient({ url: address });
    this.browser = new BrowserSession(address);
  }

  /** The key, or the person, that asks. */
  get who(): { id: string; name: string } | null {
    return this.me === null ? null : (this.me.key ?? this.me.member);
  }

  /** Whose what is shown is: another key, person or workspace has another one. Empty where nobody is signed in. */
  get owner(): string {
    return this.me === null ? '' : `${this.who?.id} ${this.me.workspace.id}`;
  }

  get mayWrite(): boolean {
    return this.me !== null && this.me.role !== 'reader';
  }

  /** Whether models and keys can be changed. */
  get mayManage(): boolean {
    return this.me !== null && (this.me.role === 'admin' || this.me.role === 'owner');
  }

  /**
   * Signs in with the key that the code of a link stands for, which the tab keeps from then on, else with the one that it has
   * kept, if any, else as whoever signed in with this browser. Throws when the service does not answer.
   */
  async resume(code: string | null = null): Promise<void> {
    if (this.me === null) {
      // A page that asks for a key is left, and comes back with what there is to say about the link.
      this.opening = true;
      this.changed();
    }
    try {
      await this.resumeKey((code === null ? '' : await this.exchanged(code)) || keptKey());
      if (this.me === null && (await this.readOffer())) await this.useBrowser();
    } finally {
      this.opening = false;
      this.changed();
    }
  }

  private async resumeKey(key: string): Promise<void> {
    try {
      if (key !== '') await this.signIn(key, true);
    } catch (error) {
      if (!isSignedOut(error)) throw error;
      forgetKey();
    }
  }

  /** Reads by whom people sign in; answers whether somebody did with this browser. */
  async readOffer(): Promise<boolean> {
    const { provider, isSignedIn } = await this.browser.offered();
    this.provider = provider;
    this.changed();
    return isSignedIn;
  }

  private async useBrowser(): Promise<void> {
    const me = await this.browser.client.request('GET /v1/me/');
    Object.assign(this, { client: this.browser.clientOf(me.workspace.id), me, key: '', ended: false });
    this.changed();
  }

  /** Leaves for the provider. Throws what `BrowserSession.begin` does. */
  async signInByProvider(invitation: string | null): Promise<void> {
    const address = await this.browser.begin(invitation);
    // Whoever comes back is who signed in there.
    forgetKey();
    location.assign(address);
  }

  /** Looks at another workspace of the same person. */
  async moveTo(workspaceId: string): Promise<void> {
    await this.browser.move(workspaceId);
    await this.useBrowser();
  }

  /** Another tab may have signed out, or moved to another workspace: their cookie is the same. */
  async lookAgain(): Promise<void> {
    const { me } = this;
    if (me === null || me.key !== null) return;
    await this.useBrowser().catch((error: unknown) => this.notice(error));
  }

  /** The key that a code stands for, once and on the machine of the service alone; empty for any other. */
  private async exchanged(code: string): Promise<string> {
    const headers = { authorization: `Code ${code}` };
    const reply = await fetch(`${this.address}/console/sign-in`, { method: 'POST', headers }).catch(() => null);
    const body: unknown = reply?.ok === true ? await reply.json() : null;
    const isKey = typeof body === 'object' && body !== null && 'key' in body && typeof body.key === 'string';
    Object.assign(this, { linkFailed: !isKey, ended: false });
    return isKey ? String(body.key) : '';
  }

  /** Throws AditApiError for a key that is not valid, AditConnectionError when nobody answers. */
  async signIn(key: string, keeps: boolean): Promise<void> {
    const client = new AditClient({ url: this.address, apiKey: key });
    const me = await client.request('GET /v1/me/');
    Object.assign(this, { client, me, key, ended: false, linkFailed: false });
    if (keeps) keepKey(key);
    else forgetKey();
    this.changed();
  }

  /** Ends the session where there is one; throws when that did not work. */
  async leave(): Promise<void> {
    if (this.me?.key === null) await this.browser.end();
    this.signOut();
  }

  private signOut({ ended = false } = {}): void {
    forgetKey();
    Object.assign(this, { me: null, key: '', ended, client: new AditClient({ url: this.address }) });
    this.changed();
  }

  showSecret(secret: Secret | null): void {
    this.secret = secret;
    this.changed();
  }

  /** Signs out where an error says that the key is no longer valid, and looks where the session is where it may have moved. */
  notice(error: unknown): void {
    if (this.me !== null && isSignedOut(error)) this.signOut({ ended: true });
    if (error instanceof AditApiError && error.status === 409) void this.lookAgain();
  }

  /** Lets a page of the same service that opens in this tab sign in once; a cookie does so by itself. */
  handOver(): void {
    if (this.key !== '') keepKey(this.key, { once: true });
  }
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof AditApiError && error.status === 401;
}
