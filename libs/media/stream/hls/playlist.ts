import { AditError } from '@adit/contracts';
import type { Offer } from '../segments/best.js';
import type { SoundOffer } from '../segments/choose-sound.js';
import {
  lazyResource,
  resolveAddress,
  timeAfter,
  type ByteRange,
  type MediaPlaylist,
  type Resource,
  type Segment,
} from '../segments/media-playlist.js';
import { ShortSteps } from '../segments/short-steps.js';
import { attributesOf, byteRangeOf, decimal, integer, KeyTags, malformed, type Attributes } from './playlist-tags.js';

/*
 * RFC 8216 and its second edition, as far as a reader of whole segments needs it. Written here since the parsers on npm
 * do not do: one drops EXT-X-GAP, the other fails on titles and names with accents or apostrophes, and its work on a
 * master playlist grows with the cube of its lines.
 */

export const MAX_PLAYLIST_BYTES = 4 << 20;
const MAX_LINES = 300_000;
const MAX_LINE_LENGTH = 8192;
const MAX_SEGMENTS = 50_000;
const MAX_VARIANTS = 1000;
const MAX_MEDIA_TAGS = 5000;
const MAX_MAPS = 10_000;
/** Lines that take a fraction of a millisecond. */
const LINES_OF_A_STEP = 128;
const MAX_SEGMENT_SECONDS = 3600;

export interface Variant extends Offer {
  url: URL;
  /** States codecs, all of them for sound. */
  isSoundOnly: boolean;
  /** The sound that belongs to it, in the order in which it is listed. */
  sounds: readonly Rendition[];
}

/** Sound of a stream (EXT-X-MEDIA). */
export interface Rendition extends SoundOffer {
  /** Its playlist; null where it is muxed into the variants, or at an address that is not read. */
  url: URL | null;
  isMuxed: boolean;
}

export interface MasterPlaylist {
  kind: 'master';
  variants: Variant[];
}

/**
 * Reads a playlist that came from `base`. Throws SOURCE_REFUSED for one that is malformed, too large, or encrypted in a
 * way that cannot be read. Tags of low latency (parts, hints, reports) are passed over, as the specification wants of
 * readers that do not know them. It works in steps of some milliseconds, and an address of a segment is only looked at
 * when it is fetched.
 */
export async function parsePlaylist(text: string, base: URL): Promise<MasterPlaylist | MediaPlaylist> {
  const steps = new ShortSteps();
  const lines = await linesOf(text, steps);
  if (!/^#EXTM3U(?:\s|$)/.test(lines[0] ?? '')) throw malformed('it does not begin with #EXTM3U');
  const isMaster = lines.some((line) => line.startsWith('#EXT-X-STREAM-INF:'));
  if (isMaster) return masterPlaylist(lines, base, steps);
  const reading = new MediaReading(base);
  for (const [at, line] of lines.entries()) {
    if (at % LINES_OF_A_STEP === 0 && steps.isLong) await steps.rest();
    reading.read(line);
  }
  return reading.playlist();
}

/** Lines that say something, each a copy that does not hold the whole text in memory. */
async function linesOf(text: string, steps: ShortSteps): Promise<string[]> {
  const lines: string[] = [];
  let count = 0;
  for (let from = text.startsWith('\ufeff') ? 1 : 0; from < text.length;) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end < 0 ? text.length : end).trim();
    from = end < 0 ? text.length : end + 1;
    if (++count > MAX_LINES) throw malformed(`it has more than ${MAX_LINES} lines`);
    if (line.length > MAX_LINE_LENGTH) throw malformed(`a line is longer than ${MAX_LINE_LENGTH} characters`);
    if (line !== '' && (!line.startsWith('#') || line.startsWith('#EXT'))) lines.push(line);
    if (count % LINES_OF_A_STEP === 0 && steps.isLong) await steps.rest();
  }
  return lines;
}

async function masterPlaylist(lines: readonly string[], base: URL, steps: ShortSteps): Promise<MasterPlaylist> {
  const variants: Variant[] = [];
  const sounds = new Map<string, Rendition[]>();
  const groups = lines.filter((line) => line.startsWith('#EXT-X-MEDIA:'));
  if (groups.length > MAX_MEDIA_TAGS) throw malformed(`it has more than ${MAX_MEDIA_TAGS} tags EXT-X-MEDIA`);
  for (const line of groups) {
    if (steps.isLong) await steps.rest();
    const { TYPE, 'GROUP-ID': group, URI, LANGUAGE: language = null, DEFAULT } = attributesOf(line);
    if (TYPE !== 'AUDIO' || group === undefined) continue;
    const known = sounds.get(group) ?? [];
    known.push({
      ...{ url: soundAddress(URI, base), isMuxed: URI === undefined },
      ...{ language, isDefault: DEFAULT === 'YES' },
    });
    sounds.set(group, known);
  }
  let stated: string | null = null;
  for (const line of lines) {
    if (line.startsWith('#EXT-X-STREAM-INF:')) stated = line;
    if (line.startsWith('#') || stated === null) continue;
    if (variants.length === MAX_VARIANTS) throw malformed(`it lists more than ${MAX_VARIANTS} variants`);
    if (steps.isLong) await steps.rest();
    variants.push(variantOf(attributesOf(stated), resolve(line, base), sounds));
    stated = null;
  }
  if (variants.length === 0) throw malformed('it lists no stream');
  return { kind: 'master', variants };
}

/** One that is never heard must not keep pictures from being read. */
function soundAddress(uri: string | undefined, base: URL): URL | null {
  if (uri === undefined) return null;
  try {
    return resolve(uri, base);
  } catch (error) {
    if (!(error instanceof AditError)) throw error;
    return null;
  }
}

function variantOf(stated: Attributes, url: URL, groups: ReadonlyMap<string, readonly Rendition[]>): Variant {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(stated.RESOLUTION ?? '') ?? [];
  const sounds = stated.AUDIO === undefined ? [] : (groups.get(stated.AUDIO) ?? []);
  const codecs = (stated.CODECS ?? '').split(',').map((codec) => codec.trim());
  return {
    url,
    bandwidth: decimal(stated.BANDWIDTH) ?? 0,
    resolution:
      width === undefined || height === undefined
        ? null
        : { lines: Math.min(Number(width), Number(height)), pixels: Number(width) * Number(height) },
    isSoundOnly:
      stated.RESOLUTION === undefined &&
      codecs.every((codec) => /^(?:mp4a|ac-3|ec-3|ac-4|opus|flac|alac)/i.test(codec)),
    hasSeparateSound: stated.AUDIO !== undefined && sounds.every(({ isMuxed }) => !isMuxed),
    sounds,
  };
}

/** A media playlist while its lines are read in order. */
class MediaReading {
  private readonly segments: Segment[] = [];
  private targetSeconds: string | null = null;
  private firstNumber = 0;
  private discontinuity = 0;
  private hasSkipped = false;
  private hasEnded = false;
  private readonly keys: KeyTags;
  private map: Resource | null = null;
  /** Tag of the last initialisation section, and how many there were. */
  private mapLine: string | null = null;
  private maps = 0;
  /** Of the segment whose tags are being read, as they are written: tags may be repeated without a segment. */
  private seconds: string | null = null;
  private isDiscontinuous = false;
  private isGap = false;
  private statedTime: string | null = null;
  private byteRange: string | null = null;
  /** Of the segment before. */
  private lastAddress: string | null = null;

  constructor(private readonly base: URL) {
    this.keys = new KeyTags((address) => resolve(address, base));
  }

  read(line: string): void {
    if (!line.startsWith('#')) return this.segment(line);
    const colon = line.indexOf(':');
    const value = colon < 0 ? '' : line.slice(colon + 1).trim();
    switch (colon < 0 ? line : line.slice(0, colon)) {
      case '#EXTINF':
        this.seconds = value;
        break;
      case '#EXT-X-TARGETDURATION':
        this.targetSeconds = value;
        break;
      case '#EXT-X-MEDIA-SEQUENCE':
        this.numberFrom(integer(value));
        break;
      case '#EXT-X-SKIP':
        this.skip(line);
        break;
      case '#EXT-X-DISCONTINUITY-SEQUENCE':
        this.discontinuity = integer(value) ?? 0;
        break;
      case '#EXT-X-DISCONTINUITY':
        this.isDiscontinuous = true;
        break;
      case '#EXT-X-GAP':
        this.isGap = true;
        break;
      case '#EXT-X-PROGRAM-DATE-TIME':
        this.statedTime = value;
        break;
      case '#EXT-X-BYTERANGE':
        this.byteRange = value;
        break;
      case '#EXT-X-KEY':
        this.keys.read(line);
        break;
      case '#EXT-X-MAP':
        this.map = this.readMap(line);
        break;
      case '#EXT-X-ENDLIST':
        this.hasEnded = true;
        break;
      case '#EXT-X-I-FRAMES-ONLY':
        throw malformed('it lists key frames only');
    }
  }

  playlist(): MediaPlaylist {
    const { segments, firstNumber, hasEnded } = this;
    const target = this.targetSeconds === null ? null : decimal(this.targetSeconds);
    if (segments.length === 0 && target === null) throw malformed('it lists neither segments nor streams');
    stateEarlierTimes(segments);
    const longest = segments.reduce((most, { seconds }) => Math.max(most, seconds), 0);
    return { kind: 'media', targetSeconds: target ?? longest, firstNumber, hasEnded, segments };
  }

  /** Only servers that are asked for it leave segments out; numbers stay right all the same. */
  private skip(line: string): void {
    if (this.hasSkipped) throw malformed('it has several tags EXT-X-SKIP');
    this.hasSkipped = true;
    this.numberFrom(this.firstNumber + (integer(attributesOf(line)['SKIPPED-SEGMENTS']) ?? 0));
  }

  /** Segments are numbered in the order of the playlist, from a number that comes before them (RFC 8216, 4.3.3.2). */
  private numberFrom(number: number | null): void {
    if (number === null) throw malformed('EXT-X-MEDIA-SEQUENCE is no number');
    if (this.segments.length > 0) throw malformed('the number of its first segment comes behind that');
    if (!Number.isSafeInteger(number + MAX_SEGMENTS)) throw malformed('its numbers of segments are too large');
    this.firstNumber = number;
  }

  private segment(address: string): void {
    if (this.segments.length === MAX_SEGMENTS) throw malformed(`it lists more than ${MAX_SEGMENTS} segments`);
    if (this.seconds === null) throw malformed('a segment has no EXTINF');
    const before = this.segments.at(-1);
    const isSameFile = address === this.lastAddress;
    const stated = this.byteRange === null ? null : byteRangeOf(this.byteRange);
    const range = rangeAfter(stated, isSameFile ? before?.byteRange : undefined);
    // Nothing is fetched where there is a gap.
    const key = this.isGap ? null : this.keys.current();
    const { base } = this;
    if (this.isDiscontinuous) this.discontinuity++;
    const resource = lazyResource(() => resolve(address, base), range, key);
    const segment = Object.assign(resource, {
      number: this.firstNumber + this.segments.length,
      seconds: segmentSeconds(this.seconds),
      isDiscontinuous: this.isDiscontinuous,
      discontinuity: this.discontinuity,
      isGap: this.isGap,
      map: this.map,
      statedTime: (this.statedTime === null ? null : clockTime(this.statedTime)) ?? timeAfter(before),
    });
    this.segments.push(segment);
    this.lastAddress = address;
    this.seconds = this.statedTime = this.byteRange = null;
    this.isDiscontinuous = this.isGap = false;
  }

  private readMap(line: string): Resource {
    const key = this.keys.current();
    // One that is repeated stays the same.
    if (this.map !== null && line === this.mapLine && key === this.map.key) return this.map;
    this.mapLine = line;
    if (++this.maps > MAX_MAPS) throw malformed(`it has more than ${MAX_MAPS} initialisation sections`);
    const { URI, BYTERANGE } = attributesOf(line);
    if (URI === undefined) throw malformed('EXT-X-MAP has no URI');
    const range = BYTERANGE === undefined ? null : byteRangeOf(BYTERANGE);
    if (key !== null && key.iv === null) throw malformed('EXT-X-MAP is encrypted without an IV');
    const byteRange = range === null ? null : { length: range.length, offset: range.offset ?? 0 };
    const { base } = this;
    return lazyResource(() => resolve(URI, base), byteRange, key);
  }
}

/** @param before - Range of the segment before, where that is of the same file. */
function rangeAfter(
  stated: { length: number; offset: number | null } | null,
  before: ByteRange | null | undefined,
): ByteRange | null {
  if (stated === null) return null;
  if (stated.offset !== null) return { length: stated.length, offset: stated.offset };
  if (before === undefined || before === null) throw malformed('a byte range has no beginning');
  return { length: stated.length, offset: before.offset + before.length };
}

/** Segments before the first stated time are dated from it. */
function stateEarlierTimes(segments: Segment[]): void {
  const first = segments.findIndex(({ statedTime }) => statedTime !== null);
  let time = segments[first]?.statedTime ?? null;
  if (time === null) return;
  for (const segment of segments.slice(0, first).reverse()) segment.statedTime = time -= segment.seconds * 1000;
}

function resolve(address: string, base: URL): URL {
  if (address.includes('{$')) throw malformed('it has variables (EXT-X-DEFINE), which are not read');
  return resolveAddress(address, base, malformed);
}

function segmentSeconds(value: string): number {
  const seconds = decimal(value.split(',', 1)[0]);
  if (seconds === null || seconds > MAX_SEGMENT_SECONDS) throw malformed('a segment has no sensible duration');
  return seconds;
}

function clockTime(value: string): number | null {
  const time = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(value) ? value : `${value}Z`);
  return Number.isNaN(time) ? null : time;
}
