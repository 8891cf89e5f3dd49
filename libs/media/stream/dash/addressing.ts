import type { ByteRange } from '../segments/media-playlist.js';
import type { Representation } from './manifest.js';
import { malformed } from './malformed.js';
import { noLinks, resolved } from './manifest.js';
import { bytesOf, ticksOf, wholeOf } from './values.js';
import { childOf, childrenOf, type XmlElement } from '../xml.js';

/** `count` segments of the same duration, the first at `time`, in ticks; null: until the next, or the end. */
export interface TimelineEntry {
  time: bigint;
  duration: bigint;
  count: number | null;
}

export interface Address {
  /** As it is written; empty where it is made from a template. */
  text: string;
  url: () => URL;
  range: ByteRange | null;
}

/** Where the segments of a representation are, and when. */
export interface Addressing {
  /** Ticks a second. */
  timescale: number;
  /** Ticks of the media at the start of the period. */
  offset: bigint;
  startNumber: number;
  endNumber: number;
  /** Ticks of each segment; null where there is a timeline. */
  duration: bigint | null;
  timeline: TimelineEntry[] | null;
  initialization: Address | null;
  /** Addresses by number and time; a list of addresses, each of one segment; or null: one file. */
  media: ((number: number, time: bigint) => Address) | Address[] | null;
}

const MAX_TIMESCALE = 1e9;
const MAX_ENTRIES = 20_000;

const KNOWN = new WeakMap<Representation, Addressing>();

/** Reads how a representation is addressed. Throws SOURCE_REFUSED where that cannot be read. */
export function addressingOf(representation: Representation): Addressing {
  const known = KNOWN.get(representation);
  if (known !== undefined) return known;
  const read = readAddressing(representation);
  KNOWN.set(representation, read);
  return read;
}

function readAddressing(representation: Representation): Addressing {
  const templates = representation.levels.flatMap((level) => childrenOf(level, 'SegmentTemplate').slice(0, 1));
  if (templates.length > 0) return templated(representation, templates);
  const lists = representation.levels.flatMap((level) => childrenOf(level, 'SegmentList').slice(0, 1));
  if (lists.length > 0) return listed(representation, lists);
  const bases = representation.levels.flatMap((level) => childrenOf(level, 'SegmentBase').slice(0, 1));
  return { ...timing(bases), timeline: null, initialization: null, media: null };
}

function templated(representation: Representation, elements: XmlElement[]): Addressing {
  const attributes = merged(elements);
  const { media, initialization } = attributes;
  if (media === undefined) throw malformed('a SegmentTemplate has no media');
  const addressed = (template: string) => {
    const fill = filler(template, representation);
    return (number: number, time: bigint): Address => ({
      text: '',
      url: () => resolved(fill(number, time), representation.base),
      range: null,
    });
  };
  const first = initialization === undefined ? null : addressed(initialization)(0, 0n);
  return {
    ...timing(elements),
    timeline: timelineOf(elements),
    initialization: first ?? initializationOf(representation, elements),
    media: addressed(media),
  };
}

function listed(representation: Representation, elements: XmlElement[]): Addressing {
  elements.forEach(noLinks);
  const owner = elements.findLast((element) => childOf(element, 'SegmentURL') !== undefined);
  const media = childrenOf(owner ?? { name: '', attributes: {}, children: [], text: '' }, 'SegmentURL').map(
    ({ attributes: { media: address, mediaRange } }): Address => ({
      text: `${address ?? ''} ${mediaRange ?? ''}`,
      url: () => (address === undefined ? representation.base : resolved(address, representation.base)),
      range: bytesOf(mediaRange),
    }),
  );
  return {
    ...timing(elements),
    timeline: timelineOf(elements),
    initialization: initializationOf(representation, elements),
    media,
  };
}

function timing(elements: XmlElement[]): Omit<Addressing, 'initialization' | 'media' | 'timeline'> {
  const attributes = merged(elements);
  const timescale = wholeOf(attributes['timescale'], 1);
  if (timescale < 1 || timescale > MAX_TIMESCALE) throw malformed('a timescale is out of range');
  const duration = ticksOf(attributes['duration']);
  if (duration === 0n) throw malformed('a segment has no duration');
  return {
    timescale,
    offset: ticksOf(attributes['presentationTimeOffset']) ?? 0n,
    startNumber: wholeOf(attributes['startNumber'], 1),
    endNumber: wholeOf(attributes['endNumber'], Number.MAX_SAFE_INTEGER),
    duration,
  };
}

function initializationOf(representation: Representation, elements: XmlElement[]): Address | null {
  const element = elements.findLast((each) => childOf(each, 'Initialization') !== undefined);
  const stated = element === undefined ? undefined : childOf(element, 'Initialization');
  if (stated === undefined) return null;
  const { sourceURL, range } = stated.attributes;
  return {
    text: sourceURL ?? '',
    url: () => (sourceURL === undefined ? representation.base : resolved(sourceURL, representation.base)),
    range: bytesOf(range),
  };
}

function merged(elements: XmlElement[]): Record<string, string | undefined> {
  const merged: Record<string, string | undefined> = {};
  for (const { attributes } of elements) Object.assign(merged, attributes);
  return merged;
}

function timelineOf(elements: XmlElement[]): TimelineEntry[] | null {
  const owner = elements.findLast((element) => childOf(element, 'SegmentTimeline') !== undefined);
  const timeline = owner === undefined ? undefined : childOf(owner, 'SegmentTimeline');
  if (timeline === undefined) return null;
  noLinks(timeline);
  const entries = childrenOf(timeline, 'S');
  if (entries.length > MAX_ENTRIES) throw malformed(`a timeline has more than ${MAX_ENTRIES} entries`);
  let next: bigint | null = 0n;
  return entries.map(({ attributes: { t, d, r } }) => {
    const duration = ticksOf(d);
    const time = ticksOf(t) ?? next;
    if (duration === null || duration === 0n) throw malformed('a segment has no duration');
    if (time === null) throw malformed('a segment follows others without an end, and states no time');
    const repeats = repeatsOf(r);
    next = repeats === null ? null : time + duration * BigInt(repeats + 1);
    return { time, duration, count: repeats === null ? null : repeats + 1 };
  });
}

function repeatsOf(text: string | undefined): number | null {
  if (/^-\d{1,15}$/.test(text?.trim() ?? '')) return null;
  return wholeOf(text, 0);
}

/** Fills an address in: $RepresentationID$, $Bandwidth$, $Number$ and $Time$, the latter with widths as %05d. */
function filler(template: string, { id, bandwidth }: Representation): (number: number, time: bigint) => string {
  const parts = template.split('$');
  if (parts.length % 2 === 0) throw malformed('an address has a single dollar sign');
  return (number, time) =>
    parts
      .map((part, at) => {
        if (at % 2 === 0) return part;
        if (part === '') return '$';
        if (part === 'RepresentationID') return encodeURI(id);
        const [, name, width = '1'] = /^(Number|Time|Bandwidth)(?:%0?(\d{1,2})d)?$/.exec(part) ?? [];
        const value = { Number: number, Time: time, Bandwidth: bandwidth }[name ?? ''];
        if (value === undefined) throw malformed(`an address holds $${part.slice(0, 40)}$`);
        return String(value).padStart(Math.min(Number(width), 20), '0');
      })
      .join('');
}
