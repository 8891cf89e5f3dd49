export interface ByteRange {
  offset: number;
  length: number;
}

/** A key that segments are encrypted under by AES-128 in CBC mode. */
export interface SegmentKey {
  url: URL;
  /** Null where the number of the segment stands in for it. */
  iv: Buffer | null;
}

/** Bytes to fetch. Reading `url` throws SOURCE_REFUSED for an address that cannot be fetched. */
export interface Resource {
  readonly url: URL;
  byteRange: ByteRange | null;
  key: SegmentKey | null;
}

export interface Segment extends Resource {
  /** Counts the segments of a stream, those that are left out too. */
  number: number;
  seconds: number;
  /** Nothing follows from what came before it. */
  isDiscontinuous: boolean;
  /** Discontinuities before it, counted over the whole stream; left out where the server does not count them. */
  discontinuity?: number;
  /** The server has no media for this time. */
  isGap: boolean;
  /** What a decoder needs first: the boxes that fragments of MP4 refer to. */
  map: Resource | null;
  /** Wall clock of its first picture in milliseconds since 1970; null where the server states none. */
  statedTime: number | null;
  /** Milliseconds since 1970 until when an answer of 404 may mean that it is not there yet. */
  expectedUntil?: number;
  /** Seconds that its media are ahead of the time that all of the stream's media share; 0 when left out. */
  clockOffset?: number;
  /** It is all of the stream in one file, with what a decoder needs. */
  isWholeFile?: boolean;
}

/** The segments that a server lists of a stream, as HLS playlists and DASH manifests do. */
export interface MediaPlaylist {
  kind: 'media';
  targetSeconds: number;
  /** Number of the first segment, or of the one that will be first. */
  firstNumber: number;
  /** Nothing will be added. */
  hasEnded: boolean;
  segments: Segment[];
  /** Segments from the end that reading begins at; 3 when left out. */
  startFromEnd?: number;
  /** Longest time in seconds that the server may take to list something new, where it states one. */
  updateSeconds?: number;
}

/** A resource whose address is resolved when it is read: a playlist may list many more than are ever fetched. */
export function lazyResource(resolve: () => URL, byteRange: ByteRange | null, key: SegmentKey | null): Resource {
  let url: URL | null = null;
  return {
    get url() {
      return (url ??= resolve());
    },
    byteRange,
    key,
  };
}

export function isSameResource(one: Resource | null, other: Resource | null): boolean {
  if (one === null || other === null || one === other) return one === other;
  return (
    one.byteRange?.offset === other.byteRange?.offset &&
    one.byteRange?.length === other.byteRange?.length &&
    one.url.href === other.url.href
  );
}

export function timeAfter(before: Segment | undefined): number | null {
  return before === undefined || before.statedTime === null ? null : before.statedTime + before.seconds * 1000;
}

/** Resolves an address against what holds it. Throws what `malformed` makes of an address that is none, or is less safe. */
export function resolveAddress(address: string, base: URL, malformed: (reason: string) => Error): URL {
  if (!URL.canParse(address, base.href)) throw malformed('it holds something that is no address');
  const url = new URL(address, base);
  if (base.protocol === 'https:' && url.protocol === 'http:') throw malformed('it leads from https:// to http://');
  return url;
}
