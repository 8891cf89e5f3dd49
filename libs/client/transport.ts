import { AditApiError, AditConnectionError } from './errors.js';

export interface ClientOptions {
  /** Address of the service without `/api`, e.g. `https://adit.example.org`. */
  url: string;
  /** An API key; or, for what it reaches, the `token` of an access key. */
  apiKey?: string;
  token?: string;
  /** Number of times that a request is sent again that may be: default 2. */
  retries?: number;
  /** In place of the global one: for proxies, for tests. */
  fetch?: typeof globalThis.fetch;
}

export interface Sending {
  method: string;
  /** Below `/api`, with its query. */
  path: string;
  headers?: Record<string, string>;
  /** Made anew for every attempt. */
  body?: () => RequestInit['body'];
  signal?: AbortSignal | undefined;
  /** Sending it twice does what sending it once does. */
  repeatable: boolean;
  /** It is never sent again, whatever the answer. */
  once?: boolean;
}

/** Longer pauses are the caller's to make. */
const MAX_PAUSE_SECONDS = 60;
const FIRST_PAUSE_MS = 250;

/** Sends requests with their key; again after 429, 503, a first request that is still being answered and broken connections, where nothing can happen twice. */
export class Transport {
  private readonly base: string;
  private readonly fetch: typeof globalThis.fetch;
  private readonly retries: number;
  private readonly authorization: string | null;

  constructor({ url, apiKey, token, retries = 2, fetch = globalThis.fetch }: ClientOptions) {
    this.base = `${url.replace(/\/+$/, '')}/api`;
    // A browser's own refuses to be called as a method of anything else.
    this.fetch = (input, init) => fetch(input, init);
    this.retries = retries;
    this.authorization = apiKey !== undefined ? `Key ${apiKey}` : token !== undefined ? `Bearer ${token}` : null;
  }

  /** Throws AditApiError for every answer but success, AditConnectionError when there was none, and what the signal says. */
  async send(sending: Sending): Promise<Response> {
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.once(sending);
      if (outcome instanceof Response) return outcome;
      if (sending.once === true || attempt >= this.retries) throw outcome;
      const pause = pauseAfter(outcome, sending.repeatable, attempt);
      if (pause === null) throw outcome;
      await sleep(pause, sending.signal);
    }
  }

  private async once({
    method,
    path,
    headers = {},
    body,
    signal,
  }: Sending): Promise<Response | AditApiError | AditConnectionError> {
    try {
      const content = body?.();
      // A stream for a body needs to be told that its answer comes after it.
      const streaming: { duplex?: 'half' } = content instanceof ReadableStream ? { duplex: 'half' } : {};
      const reply = await this.fetch(`${this.base}${path}`, {
        method,
        headers: { ...(this.authorization === null ? {} : { authorization: this.authorization }), ...headers },
        ...(content === undefined ? {} : { body: content }),
        ...(signal === undefined ? {} : { signal }),
        ...streaming,
      });
      return reply.ok ? reply : await AditApiError.of(reply);
    } catch (error) {
      signal?.throwIfAborted();
      // The error of fetch may have the class of another realm.
      const { cause, message } = error as Error & { cause?: { code?: unknown; message?: string } };
      const why = typeof cause?.code === 'string' ? cause.code : (cause?.message ?? message);
      return new AditConnectionError(`${this.base} did not answer (${why}).`, { cause: error });
    }
  }
}

/**
 * Milliseconds; null for what is not to be sent again. 429 says that nothing was done; a conflict with the first request of the same
 * key, that it is still being answered.
 */
function pauseAfter(error: AditApiError | AditConnectionError, repeatable: boolean, attempt: number): number | null {
  const backoff = FIRST_PAUSE_MS * 2 ** attempt;
  if (error instanceof AditConnectionError) return repeatable ? backoff : null;
  const isRefusal = error.status === 429;
  if (!isRefusal && !(repeatable && (error.status === 503 || error.isInProgress))) return null;
  const seconds = error.retryAfterSeconds;
  if (seconds === null) return backoff;
  return seconds <= MAX_PAUSE_SECONDS ? seconds * 1000 : null;
}

export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
