import { AditError } from '@adit/contracts';
import { pause } from '@adit/runtime';
import { id3Tag } from '../packed-sound.js';
import type { Resource, Segment } from './media-playlist.js';
import type { SegmentClient } from './segment-client.js';
import { KIND_BYTES, segmentKind } from './segment-kind.js';

const TRIES = 3;
const RETRY_MILLISECONDS = 500;
const MOST_RETRIES_APART = 4;
/** Bytes of the tags before packed audio: they may have pictures. */
const MAX_TAG_BYTES = 1 << 20;

/** A segment that was given up. The reason is that of the last try. */
export class LostSegment extends Error {}

/**
 * The bytes of a segment as they arrive, decrypted. The first piece is long enough for `segmentKind` where the segment
 * is. A try that fails is followed by two more, which go on where it broke off. Throws LostSegment after the last, and
 * at once what no try can mend (SOURCE_REFUSED).
 *
 * @param onTime - told before the first piece of packed audio when that begins, in seconds on the clock of MPEG-TS
 */
export async function* readSegment(
  client: SegmentClient,
  segment: Segment,
  signal?: AbortSignal,
  onTime?: (seconds: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  let given = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      let from = 0;
      for await (const chunk of checked(client, segment, onTime)) {
        const fresh = chunk.subarray(Math.max(given - from, 0));
        from += chunk.length;
        if (fresh.length === 0) continue;
        given += fresh.length;
        yield fresh;
      }
      return;
    } catch (error) {
      await nextTry(error, attempt, signal, segment.expectedUntil);
    }
  }
}

/** The initialisation section that fragments of MP4 refer to, tried and given up as a segment is. */
export async function readMap(client: SegmentClient, map: Resource, signal?: AbortSignal): Promise<Buffer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.map(map);
    } catch (error) {
      await nextTry(error, attempt, signal);
    }
  }
}

/** Waits where another try may help, else throws. Before that time there are as many as it takes. */
async function nextTry(
  error: unknown,
  attempt: number,
  signal: AbortSignal | undefined,
  expectedUntil = 0,
): Promise<void> {
  signal?.throwIfAborted();
  if (!(error instanceof AditError) || error.code !== 'SOURCE_UNAVAILABLE') throw error;
  if (attempt >= TRIES && Date.now() >= expectedUntil) throw new LostSegment(error.message, { cause: error });
  await pause(RETRY_MILLISECONDS * Math.min(attempt, MOST_RETRIES_APART), signal);
}

/** Begins with enough bytes to tell that they are media, and the media that the playlist promises. Tags are left out. */
async function* checked(
  client: SegmentClient,
  segment: Segment,
  onTime?: (seconds: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  let head: Buffer | null = Buffer.alloc(0);
  const bytes = segment.isWholeFile ? client.wholeFile(segment) : client.segment(segment, segment.number);
  for await (const chunk of bytes) {
    if (head === null) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const tagged = behindTags(head);
    if (tagged === null) {
      if (head.length > MAX_TAG_BYTES) throw longTag(segment);
      continue;
    }
    check(tagged.media, segment);
    if (tagged.seconds !== null) onTime?.(tagged.seconds);
    yield tagged.media;
    head = null;
  }
  if (head !== null) check(head, segment);
}

/** What comes behind the ID3 tags that bytes begin with, and the time that these state; null while it is not there yet. */
function behindTags(head: Buffer): { media: Buffer; seconds: number | null } | null {
  let seconds: number | null = null;
  for (let media = head; ;) {
    const isTag = media.toString('latin1', 0, 3) === 'ID3';
    if (!isTag) return media.length < KIND_BYTES ? null : { media, seconds };
    const tag = id3Tag(media);
    if (tag === null || tag.length > media.length) return null;
    seconds ??= tag.seconds;
    media = media.subarray(tag.length);
  }
}

function longTag({ url }: Segment): AditError {
  const name = url.pathname.slice(-100);
  return new AditError('SOURCE_REFUSED', `${name} has more than ${MAX_TAG_BYTES} bytes of ID3 tags before its sound.`);
}

function check(head: Buffer, { map, url, isWholeFile = false }: Segment): void {
  if (segmentKind(head, map !== null || isWholeFile) !== null) return;
  throw new AditError(
    'SOURCE_UNAVAILABLE',
    `${url.pathname.slice(-100)} is neither MPEG-TS, fragmented MP4 nor packed audio.`,
  );
}
