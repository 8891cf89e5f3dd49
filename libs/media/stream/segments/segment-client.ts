import { AditError, errorCode } from '@adit/contracts';
import type { ResolveHost } from '@adit/net';
import { within } from '../../fetch/private-file.js';
import { brief, type SourcePolicy } from '../../fetch/source-uri.js';
import { discard, WebClient, type WebAnswer } from '../../fetch/web-client.js';
import { splitCredentials } from '../../fetch/web-credentials.js';
import type { SoundOffer } from './choose-sound.js';
import type { MediaPlaylist, Resource } from './media-playlist.js';

const MAX_SEGMENT_BYTES = 512 << 20;
const MAX_MAP_BYTES = 4 << 20;
/** Seconds that a server may take for one segment, without the time that the reader takes. */
const SEGMENT_SECONDS = 120;
const DOCUMENT_SECONDS = 30;

export interface SegmentClientOptions extends SourcePolicy {
  idleTimeoutSeconds: number;
  signal?: AbortSignal;
  resolveHost?: ResolveHost;
  /** Statuses of a client's fault (404) may be others soon, as they often are while a stream begins or goes on. */
  isLive: boolean;
}

/**
 * Fetches what a stream in segments consists of: its list of segments, these, and what a decoder needs first, each
 * through `WebClient` and each bounded in bytes and time. Throws SOURCE_REFUSED for what must not be reached or cannot be
 * read, SOURCE_UNAVAILABLE where another try may help.
 */
export abstract class SegmentClient {
  /** Where the list of segments is, without a user name and password. */
  protected readonly start: URL;
  protected hasOpened = false;
  /** The list has to be fetched again before more of it is read. */
  isSuspect = false;
  protected readonly web: WebClient;
  private readonly isOwn: boolean;

  /** @param web - of another client whose stream this is a part of: it is asked as that is, and not closed with this */
  constructor(
    address: URL,
    protected readonly options: SegmentClientOptions,
    web?: WebClient,
  ) {
    const { idleTimeoutSeconds, signal, resolveHost } = options;
    const { url, credentials } = splitCredentials(address);
    this.start = url;
    this.isOwn = web === undefined;
    this.web = web ?? new WebClient({ policy: options, idleTimeoutSeconds, signal, resolveHost, credentials });
  }

  /** Fetches the list of segments. */
  abstract open(): Promise<MediaPlaylist>;

  /** Fetches the list again; null when it has not changed. */
  abstract reload(): Promise<MediaPlaylist | null>;

  /** The sound that belongs to the pictures, in the order of its numbers. Asked once the list of segments is there. */
  abstract sounds(): readonly SoundOffer[];

  /**
   * What fetches such sound, where that comes in segments of its own; null where it does not.
   *
   * @param track - number or language of the sound; left out: the default one
   * @param signal - ends it; default: what ends this
   */
  abstract separateSound(track: string | undefined, signal?: AbortSignal): SegmentClient | null;

  close(): void {
    if (this.isOwn) this.web.close();
  }

  /** The bytes of a segment as they arrive. `number` is the segment's. */
  segment(resource: Resource, _number: number): AsyncGenerator<Buffer, void, undefined> {
    return this.bytes(resource);
  }

  /** The bytes of a film in one file. Whoever reads them bounds their number. */
  wholeFile(resource: Resource): AsyncGenerator<Buffer, void, undefined> {
    return this.bytes(resource, { maxBytes: Infinity, seconds: Infinity });
  }

  /** The initialisation section that fragments of MP4 refer to. */
  async map(resource: Resource): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of this.segment(resource, 0)) {
      size += chunk.length;
      if (size > MAX_MAP_BYTES) {
        throw new AditError('SOURCE_REFUSED', `An initialisation section has more than ${MAX_MAP_BYTES} bytes.`);
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** A list may be fetched while it is being written: what was well once is worth another try. */
  protected async whenRead<T>(parse: () => Promise<T>): Promise<T> {
    try {
      return await parse();
    } catch (error) {
      throw this.options.isLive && this.hasOpened ? unavailable(AditError.from(error).message) : error;
    }
  }

  protected async *bytes(
    { url, byteRange }: Resource,
    limits = { maxBytes: MAX_SEGMENT_BYTES, seconds: SEGMENT_SECONDS },
  ): AsyncGenerator<Buffer, void, undefined> {
    const range = byteRange === null ? null : `bytes=${byteRange.offset}-${byteRange.offset + byteRange.length - 1}`;
    const answer = await this.get(url, range === null ? {} : { range });
    // A server that sends the whole file would send it for each of its segments.
    this.checkStatus(answer, byteRange === null ? [200] : [206]);
    let size = 0;
    for await (const chunk of this.limited(answer, limits)) {
      size += chunk.length;
      yield chunk;
    }
    if (byteRange !== null && size !== byteRange.length) {
      throw unavailable(`${brief(url.href)} answers ${size} bytes where ${byteRange.length} were asked for.`);
    }
  }

  protected async get(url: URL, headers: Record<string, string> = {}): Promise<WebAnswer> {
    try {
      return await this.web.get(url, { headers });
    } catch (error) {
      throw this.explained(url, error);
    }
  }

  /** The body of a small document. */
  protected async whole(answer: WebAnswer, maxBytes: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.limited(answer, { maxBytes, seconds: DOCUMENT_SECONDS })) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  private async *limited(
    { body, url }: WebAnswer,
    { maxBytes, seconds }: { maxBytes: number; seconds: number },
  ): AsyncGenerator<Buffer, void, undefined> {
    const { idleTimeoutSeconds, signal } = this.options;
    const iterator: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
    let size = 0;
    let waited = 0;
    try {
      for (;;) {
        const asked = Date.now();
        const next = await within(
          iterator.next(),
          idleTimeoutSeconds,
          asked + seconds * 1000 - waited,
          seconds,
          signal,
        );
        waited += Date.now() - asked;
        if (next.done) return;
        size += next.value.length;
        if (size > maxBytes) throw unavailable(`${brief(url.href)} sends more than ${maxBytes} bytes.`);
        yield next.value;
      }
    } catch (error) {
      throw this.explained(url, error);
    } finally {
      discard(body);
    }
  }

  /** Throws for any other status. */
  protected checkStatus({ url, status, body }: WebAnswer, accepted: readonly number[]): void {
    if (accepted.includes(status)) return;
    discard(body);
    const mayPass = this.options.isLive ? this.hasOpened || (status !== 401 && status !== 403) : status >= 500;
    const message = `${brief(url.href)} answers HTTP status ${status}.`;
    if (accepted.includes(206) && status === 200) throw unavailable(`${brief(url.href)} ignores byte ranges.`);
    throw new AditError(mayPass || status === 429 || status === 408 ? 'SOURCE_UNAVAILABLE' : 'SOURCE_REFUSED', message);
  }

  private explained(url: URL, error: unknown): unknown {
    if (this.options.isLive && errorCode(error) === 'ENOTFOUND') {
      return unavailable(`${brief(url.href)} cannot be fetched: its host name is not known.`);
    }
    const explained = error instanceof AditError ? error : this.web.explained(url, error);
    const isLate = explained instanceof AditError && explained.code === 'LIMIT_EXCEEDED';
    return isLate ? unavailable(`${brief(url.href)} is sent too slowly.`) : explained;
  }
}

/** Headers that ask for a document only if it has changed since this answer. */
export function conditionOf({ headers }: WebAnswer): Record<string, string> {
  const { etag, 'last-modified': modified } = headers;
  if (typeof etag === 'string') return { 'if-none-match': etag };
  return typeof modified === 'string' ? { 'if-modified-since': modified } : {};
}

export function unavailable(message: string): AditError {
  return new AditError('SOURCE_UNAVAILABLE', message);
}
