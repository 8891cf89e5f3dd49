import { AditApiError, AditClient, type Me } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import { forgetKey, keepKey, keptKey } from '../../shared/kept-key.js';

/** Address of the service: the page lies at `<service>/console/`, behind whatever prefix. */
export function serviceAddress(page: string = location.href): string {
  return new URL('..', new URL('.', page)).href.replace(/\/$/, '');
}

/** A key that was just made. */
export interface Secret {
  name: string;
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
  /** Shown once, also when the session ends meanwhile: it cannot be read again. */
  secret: Secret | null = null;
  private key = '';

  constructor(readonly address = serviceAddress()) {
    super();
    this.client = new AditClient({ url: address });
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
   * kept, if any. Throws when the service does not answer.
   */
  async resume(code: string | null = null): Promise<void> {
    if (this.me === null) {
      // A page that asks for a key is left, and comes back with what there is to say about the link.
      this.opening = true;
      this.changed();
    }
    try {
      const key = (code === null ? '' : await this.exchanged(code)) || keptKey();
      if (key !== '') await this.signIn(key, true);
    } catch (error) {
      if (!isSignedOut(error)) throw error;
      forgetKey();
    } finally {
      this.opening = false;
      this.changed();
    }
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

  signOut({ ended = false } = {}): void {
    forgetKey();
    Object.assign(this, { me: null, key: '', ended, client: new AditClient({ url: this.address }) });
    this.changed();
  }

  showSecret(secret: Secret | null): void {
    this.secret = secret;
    this.changed();
  }

  /** Signs out where an error says that the key is no longer valid. */
  notice(error: unknown): void {
    if (this.me !== null && isSignedOut(error)) this.signOut({ ended: true });
  }

  /** Lets a page of the same service that opens in this tab sign in once. */
  handOver(): void {
    keepKey(this.key, { once: true });
  }
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof AditApiError && error.status === 401;
}
