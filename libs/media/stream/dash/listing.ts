import type { Addressing, Address, TimelineEntry } from './addressing.js';
import { addressingOf } from './addressing.js';
import { malformed } from './malformed.js';
import { NO_PICTURES, type Manifest, type Period, type Representation } from './manifest.js';

/** A segment of a manifest, or a hole in it. */
export interface Listed {
  /** The same in all manifests of a stream. */
  key: string;
  period: string;
  /** Seconds since 1970 of its beginning, or from the start of what has no date. */
  start: number;
  seconds: number;
  /** Null for a hole. */
  media: Address | null;
  initialization: Address | null;
  /** Seconds since 1970 on the server's clock when it is whole, where that is reckoned and not listed. */
  availableAt: number | null;
  isWholeFile?: boolean;
  /** False where its beginning is only right in relation to those beside it. */
  isDated?: boolean;
  /** Seconds that the media are ahead of the stream's own time. */
  clockOffset?: number;
}

/** Segments of a live stream that are listed at most: hours. */
const MAX_LIVE = 2000;
const LEAST_LIVE = 3;
const MAX_FILM = 50_000;
/** Seconds that a timeline may leave out by rounding. */
const SLACK_SECONDS = 0.1;
const MAX_SEGMENT_SECONDS = 3600;

/** Chooses what is read of a period; null where it has nothing of the kind. */
export type Choose = (period: Period) => Representation | null;

interface ListOptions {
  /** Seconds since 1970 by the server's clock. */
  now: number;
  choose: Choose;
  /** Time that the stream counts from where this manifest states none. */
  origin: number;
}

/** Lists the segments of what is chosen of all periods, in order: of a live stream those at its end. */
export function listSegments(manifest: Manifest, { now, choose, origin }: ListOptions): Listed[] {
  const { periods, isDynamic } = manifest;
  const chosen = new Map(periods.map((period) => [period, choose(period)]));
  if (![...chosen.values()].some((each) => each !== null)) throw malformed(periods.at(-1)?.refusal ?? NO_PICTURES);
  const most = isDynamic ? MAX_LIVE : MAX_FILM;
  let listed: Listed[] = [];
  // From the end: that is where a live stream is read.
  for (const period of periods.toReversed()) {
    if (listed.length >= most && isDynamic) break;
    const place = { manifest, period, origin, now, most };
    const representation = chosen.get(period) ?? null;
    listed = [...(representation === null ? holeOf(place) : segmentsOf(place, representation)), ...listed];
    if (listed.length > MAX_FILM && !isDynamic) throw malformed(`it lists more than ${MAX_FILM} segments`);
  }
  return isDynamic ? listed.slice(-MAX_LIVE) : listed;
}

/** Whether the clock says what there is, so that it has to be that of the server. */
export function needsClock({ periods }: Manifest, choose: Choose): boolean {
  const last = periods.map(choose).findLast((each) => each !== null);
  if (!last) return false;
  const { timeline, duration } = addressingOf(last);
  return timeline === null ? duration !== null : timeline.some(({ count }) => count === null);
}

interface Place {
  manifest: Manifest;
  period: Period;
  origin: number;
  now: number;
  most: number;
}

function holeOf({ period, origin }: Place): Listed[] {
  const { key, start, duration } = period;
  if (duration === null || duration === 0) return [];
  const none = { media: null, initialization: null, availableAt: null };
  return [{ key: `${key} hole`, period: key, start: origin + start, seconds: duration, ...none }];
}

function segmentsOf(place: Place, representation: Representation): Listed[] {
  const addressing = addressingOf(representation);
  const { media, timeline, duration } = addressing;
  if (media === null) return wholeFile(place, representation);
  if (timeline !== null) return fromTimeline(place, addressing, timeline);
  if (duration === null) {
    // A list of one segment needs none.
    const seconds = place.period.duration;
    if (Array.isArray(media) && media.length === 1 && seconds !== null) {
      return [{ ...listedAt(place, addressing, 0, 0n), seconds, availableAt: null }];
    }
    throw malformed('its segments have neither a duration nor a timeline');
  }
  return Array.isArray(media) ? fromList(place, addressing, media) : byClock(place, addressing, duration);
}

function wholeFile({ manifest, period, origin }: Place, representation: Representation): Listed[] {
  if (manifest.isDynamic) throw malformed('a live one lists whole files instead of segments');
  const { key, start, duration } = period;
  const media = { text: '', url: () => representation.base, range: null };
  return [
    {
      ...{ key: `${key} file`, period: key, start: origin + start, seconds: duration ?? 0 },
      ...{ media, initialization: null, availableAt: null, isWholeFile: true },
    },
  ];
}

/** The segment that is `index` segments behind the first of the period and at `time` ticks of the media. */
function listedAt({ period, origin }: Place, addressing: Addressing, index: number, time: bigint): Listed {
  const { media, offset, timescale, startNumber, initialization } = addressing;
  const number = startNumber + index;
  const address = Array.isArray(media) ? media[index] : media?.(number, time);
  return {
    key: `${period.key} ${time}`,
    period: period.key,
    start: origin + period.start + secondsOf(time - offset, timescale),
    seconds: 0,
    media: address ?? null,
    initialization,
    availableAt: null,
    clockOffset: secondsOf(offset, timescale) - period.start,
  };
}

/** Segments of one duration, as many as the clock says there are. */
function byClock(place: Place, addressing: Addressing, duration: bigint): Listed[] {
  const { manifest, period, origin, now, most } = place;
  const { timescale, offset, startNumber, endNumber } = addressing;
  const seconds = segmentSeconds(duration, timescale);
  const inPeriod = period.duration === null ? Infinity : Math.ceil(period.duration / seconds - 1e-6);
  const begun = origin + period.start;
  const whole = manifest.isDynamic ? Math.floor((now - begun) / seconds + 1e-6) : Infinity;
  const end = Math.min(inPeriod, whole, endNumber - startNumber + 1);
  if (end === Infinity) throw malformed('it does not say how long it is');
  if (!manifest.isDynamic && end > most) throw malformed(`it lists more than ${most} segments`);
  const oldest = manifest.isDynamic ? Math.ceil((now - manifest.windowSeconds - begun) / seconds) : 0;
  // Some packagers begin with a window of 0 s.
  const first = Math.max(0, end - most, Math.min(oldest, end - LEAST_LIVE));
  return Array.from({ length: Math.max(end - first, 0) }, (_, at) => ({
    ...listedAt(place, addressing, first + at, offset + BigInt(first + at) * duration),
    seconds,
    availableAt: manifest.isDynamic ? begun + (first + at + 1) * seconds : null,
  }));
}

/** A list of addresses. That of a live stream slides, so that only the addresses say what is what. */
function fromList(place: Place, addressing: Addressing, media: readonly Address[]): Listed[] {
  const { duration, timescale, offset } = addressing;
  const seconds = segmentSeconds(duration ?? 0n, timescale);
  const first = Math.max(media.length - place.most, 0);
  return media.slice(first).map((address, at) => {
    const listed = listedAt(place, addressing, first + at, offset + BigInt(first + at) * (duration ?? 0n));
    return { ...listed, key: `${place.period.key} ${address.text}`, seconds, isDated: false };
  });
}

function fromTimeline(place: Place, addressing: Addressing, timeline: readonly TimelineEntry[]): Listed[] {
  const { manifest, period, most } = place;
  const { timescale } = addressing;
  const counts = timeline.map((entry, at) => entry.count ?? openCount(place, addressing, entry, timeline[at + 1]));
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (!Number.isSafeInteger(total)) throw malformed('it lists more segments than can be counted');
  if (!manifest.isDynamic && total > most) throw malformed(`it lists more than ${most} segments`);
  let skip = Math.max(total - most, 0);
  let index = 0;
  const listed: Listed[] = [];
  for (const [at, { time, duration }] of timeline.entries()) {
    const count = counts[at] ?? 0;
    const seconds = segmentSeconds(duration, timescale);
    const from = Math.min(skip, count);
    skip -= from;
    for (let repeat = from; repeat < count; repeat++) {
      const segment = listedAt(place, addressing, index + repeat, time + BigInt(repeat) * duration);
      const before = listed.at(-1);
      const hole = before === undefined ? 0 : segment.start - before.start - before.seconds;
      if (before !== undefined && hole > Math.max(SLACK_SECONDS, seconds / 4)) {
        const start = before.start + before.seconds;
        listed.push({ ...segment, key: `${period.key} hole ${time}`, start, seconds: hole, media: null });
      }
      listed.push({ ...segment, seconds });
    }
    index += count;
  }
  return listed;
}

/** Segments that are repeated until the next entry, the end of the period, or now. */
function openCount(
  { manifest, period, origin, now }: Place,
  { timescale, offset }: Addressing,
  { time, duration }: TimelineEntry,
  next: TimelineEntry | undefined,
): number {
  const seconds = segmentSeconds(duration, timescale);
  if (next !== undefined) return Math.max(Math.ceil(secondsOf(next.time - time, timescale) / seconds - 1e-6), 0);
  const start = period.start + secondsOf(time - offset, timescale);
  const atEnd = period.duration === null ? Infinity : (period.start + period.duration - start) / seconds;
  const atNow = manifest.isDynamic ? Math.floor((now - origin - start) / seconds + 1e-6) : Infinity;
  const count = Math.min(Math.ceil(atEnd - 1e-6), atNow);
  if (count === Infinity) throw malformed('it does not say how long it is');
  return Math.max(count, 0);
}

function segmentSeconds(duration: bigint, timescale: number): number {
  const seconds = secondsOf(duration, timescale);
  if (seconds <= 0 || seconds > MAX_SEGMENT_SECONDS) throw malformed('a segment has no sensible duration');
  return seconds;
}

function secondsOf(ticks: bigint, timescale: number): number {
  const scale = BigInt(timescale);
  // Whole seconds first: ticks may be more than a number holds exactly.
  return Number(ticks / scale) + Number(ticks % scale) / timescale;
}
