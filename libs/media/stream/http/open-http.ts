import { Readable } from 'node:stream';
import { AditError, errorCode } from '@adit/contracts';
import { within } from '../../fetch/private-file.js';
import { discard, WebClient, type WebAnswer } from '../../fetch/web-client.js';
import { splitCredentials } from '../../fetch/web-credentials.js';
import { shownAddress } from '../../fetch/live-address.js';
import { findPackedSound, PACKED_HEAD_BYTES } from '../packed-sound.js';
import { refused, silent, unavailable } from '../live-faults.js';
import type { LiveOptions, LiveRun, OpenLive } from '../live-run.js';
import { RunBody } from '../run-body.js';

/** Time within which the first packets have to come. */
const BEGIN_SECONDS = 20;
const HEAD_BYTES = 1024;
/** Sizes of packets: plain, with a time stamp before each, with error correction behind each. */
const PACKET_BYTES = [188, 192, 204];
/** Some encoders state a length that they never reach. */
const LONGEST_FILE = 1e12;

/**
 * Reads MPEG-TS, or MP3 or AAC without a container, as the body of one HTTP answer, as encoders, set-top servers and
 * radio stations (Icecast, SHOUTcast) send it. Its bytes tell what it is, whatever the header says. The answer has no end of its own: where the connection closes, the stream broke off. Answers with a length are files and refused.
 */
export const openHttp: OpenLive = async function* (uri, options) {
  const shown = shownAddress(uri);
  const { url, credentials } = splitCredentials(new URL(uri));
  const stopping = new AbortController();
  const signal = AbortSignal.any([options.signal, stopping.signal]);
  const { idleTimeoutSeconds, resolveHost } = options;
  const web = { policy: options, idleTimeoutSeconds, signal, resolveHost, credentials };
  const client = new WebClient({ ...web, shoutcast: true });
  const stop = (): void => {
    stopping.abort(new Error('The stream is no longer read.'));
    client.close();
  };
  try {
    const answer = await client.get(url).catch((error: unknown) => {
      throw explained(client, url, error);
    });
    checkAnswer(shown, answer);
    const pieces = piecesOf(shown, client, answer, options);
    const { head, container } = await headOf(shown, pieces);
    let failure: unknown = unavailable(shown, 'the connection was closed');
    const output = Readable.from(
      (async function* (): AsyncGenerator<Buffer> {
        yield head;
        try {
          yield* pieces;
        } catch (error) {
          failure = error;
        }
      })(),
      { objectMode: false },
    );
    const ended = (): Promise<unknown> => Promise.resolve(options.signal.aborted ? options.signal.reason : failure);
    const body = new RunBody({ output, failure: ended, stop: () => Promise.resolve(stop()) });
    yield { container, body, isSegmented: false, statedTime: null, gap: null };
    if (!body.destroyed || body.errored) throw failure;
  } finally {
    stop();
  }
};

function explained(client: WebClient, url: URL, error: unknown): unknown {
  // The encoder may come up later.
  if (errorCode(error) === 'ENOTFOUND') return unavailable(shownAddress(url.href), 'its host name is not known', error);
  return error instanceof AditError ? error : client.explained(url, error);
}

function checkAnswer(shown: string, { status, headers, body }: WebAnswer): void {
  const length = Number(headers['content-length'] ?? NaN);
  const isFile = status === 200 && length > 0 && length <= LONGEST_FILE;
  if (status === 200 && !isFile) return;
  discard(body);
  if (isFile) throw refused(shown, `it is a file of ${length} bytes; post it without media_type to mine it as a film`);
  if (status === 401) throw refused(shown, 'the user name or the password is not accepted');
  if (status === 403) throw refused(shown, 'the server forbids it (HTTP status 403)');
  throw unavailable(shown, `it answers HTTP status ${status}`);
}

/** The bytes of the answer as they arrive. Throws SOURCE_UNAVAILABLE where nothing comes for too long. */
async function* piecesOf(
  shown: string,
  client: WebClient,
  { body, url }: WebAnswer,
  { idleTimeoutSeconds, signal }: LiveOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const iterator: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await within(iterator.next(), idleTimeoutSeconds, Infinity, Infinity, signal);
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    const why = AditError.from(explained(client, url, error));
    signal.throwIfAborted();
    throw why.code === 'SOURCE_UNAVAILABLE' && /nothing for/.test(why.message)
      ? silent(shown, idleTimeoutSeconds)
      : why;
  } finally {
    discard(body);
  }
}

/** Its first bytes, and what they are. Throws SOURCE_REFUSED where that is not read. */
async function headOf(
  shown: string,
  pieces: AsyncGenerator<Buffer, void, undefined>,
): Promise<{ head: Buffer; container: LiveRun['container'] }> {
  const end = Date.now() + BEGIN_SECONDS * 1000;
  let head = Buffer.alloc(0);
  while (head.length < (isText(head) ? HEAD_BYTES : PACKED_HEAD_BYTES)) {
    const next = await pieces.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
    if (head.length >= HEAD_BYTES && isTransportStream(head)) return { head, container: 'mpegts' };
    if (Date.now() > end) throw unavailable(shown, `it sends too little in ${BEGIN_SECONDS} s`);
  }
  const sound = findPackedSound(head);
  // A station is joined in the middle of a frame.
  if (sound !== null) return { head: head.subarray(sound.at), container: sound.kind };
  await pieces.return();
  const text = head.toString('latin1', 0, 200);
  if (text.startsWith('#EXTM3U')) throw refused(shown, 'it is a playlist; the address of one has to end in .m3u8');
  if (text.includes('<MPD')) throw refused(shown, 'it is a DASH manifest; the address of one has to end in .mpd');
  if (head.length < HEAD_BYTES) throw unavailable(shown, 'it ended before it began');
  throw refused(shown, 'it is no MPEG-TS, MP3 or AAC');
}

/** Whether bytes are a document, which says soon what it is. */
function isText(head: Buffer): boolean {
  return head.length > 0 && !/[^\t\n\r -~]/.test(head.toString('latin1', 0, 200));
}

/** Three packets begin at the right distance. */
function isTransportStream(head: Buffer): boolean {
  return PACKET_BYTES.some((size) =>
    Array.from({ length: size }).some((_, at) => [0, size, 2 * size].every((behind) => head[at + behind] === 0x47)),
  );
}
