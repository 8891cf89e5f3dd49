import type { SoundOffer } from '../segments/choose-sound.js';
import { resolveAddress } from '../segments/media-playlist.js';
import { malformed } from './malformed.js';
import { dateOf, durationOf, wholeOf } from './values.js';
import { childOf, childrenOf, localName, readXml, type XmlElement } from '../xml.js';

/*
 * ISO/IEC 23009-1, as far as a reader of whole segments needs it. Written here: the parsers on npm are parts of players,
 * resolve remote elements by themselves, and list every segment at once.
 */

export const MAX_MANIFEST_BYTES = 4 << 20;
const MAX_PERIODS = 1000;
/** Adaptation sets and representations of a period. */
const MAX_CHOICES = 1000;

export interface Manifest {
  isDynamic: boolean;
  /** Seconds since 1970 that times of periods count from; null where it states none. */
  availableFrom: number | null;
  /** Seconds until it may change; null where it does not. */
  updateSeconds: number | null;
  /** Seconds that segments remain. */
  windowSeconds: number;
  /** Seconds behind the newest segment that the server wants readers to begin at. */
  delaySeconds: number | null;
  durationSeconds: number | null;
  /** Ways to learn the server's clock, in the order in which they are preferred. */
  clocks: { scheme: string; value: string }[];
  /** Where it is fetched again; null: where it came from. */
  location: URL | null;
  periods: Period[];
}

/** Why a period without adaptation sets of pictures cannot be read. */
export const NO_PICTURES = 'it has no pictures';

export interface Period {
  /** The same in all manifests of a stream. */
  key: string;
  /** Seconds. */
  start: number;
  duration: number | null;
  /** What can be read; why nothing can, where there is none. */
  videos: Representation[];
  /** Sound that comes apart, of each adaptation set the best. */
  sounds: SoundRepresentation[];
  refusal: string;
}

/** A representation, with the elements that it inherits from, outermost first. */
export interface Representation {
  id: string;
  bandwidth: number;
  resolution: { lines: number; pixels: number } | null;
  hasSeparateSound: boolean;
  base: URL;
  levels: XmlElement[];
}

export type SoundRepresentation = Representation & SoundOffer;

/** Reads a manifest that came from `base`. Throws SOURCE_REFUSED for one that is malformed, too large or composed of others. */
export async function parseManifest(text: string, base: URL): Promise<Manifest> {
  const mpd = await readXml(text.replace(/^\ufeff/, ''), malformed);
  if (mpd.name !== 'MPD') throw malformed('it does not begin with MPD');
  const { attributes } = mpd;
  const isDynamic = attributes['type'] === 'dynamic';
  const availableFrom = dateOf(attributes['availabilityStartTime']);
  if (isDynamic && availableFrom === null) throw malformed('a live one has no availabilityStartTime');
  const location = childOf(mpd, 'Location')?.text.trim();
  return {
    isDynamic,
    availableFrom,
    updateSeconds: durationOf(attributes['minimumUpdatePeriod']),
    windowSeconds: durationOf(attributes['timeShiftBufferDepth']) ?? Infinity,
    delaySeconds: durationOf(attributes['suggestedPresentationDelay']),
    durationSeconds: durationOf(attributes['mediaPresentationDuration']),
    clocks: childrenOf(mpd, 'UTCTiming').map(({ attributes: { schemeIdUri = '', value = '' } }) => ({
      scheme: schemeIdUri,
      value,
    })),
    location: location ? resolved(location, base) : null,
    periods: periodsOf(mpd, isDynamic, baseOf(mpd, base)),
  };
}

export function resolved(address: string, base: URL): URL {
  return resolveAddress(address, base, malformed);
}

function periodsOf(mpd: XmlElement, isDynamic: boolean, base: URL): Period[] {
  const elements = childrenOf(mpd, 'Period');
  if (elements.length > MAX_PERIODS) throw malformed(`it has more than ${MAX_PERIODS} periods`);
  const whole = durationOf(mpd.attributes['mediaPresentationDuration']);
  const periods: Period[] = [];
  for (const element of elements) {
    noLinks(element);
    const before = periods.at(-1);
    const first = before === undefined && !isDynamic ? 0 : null;
    const after = before === undefined || before.duration === null ? first : before.start + before.duration;
    const start = durationOf(element.attributes['start']) ?? after ?? (before === undefined ? 0 : null);
    // It is announced for later.
    if (start === null) continue;
    if (before !== undefined) {
      if (start < before.start) throw malformed('its periods are not in order');
      before.duration = Math.min(before.duration ?? Infinity, start - before.start);
    }
    const key = element.attributes['id'] ?? String(start);
    periods.push({ key, start, duration: durationOf(element.attributes['duration']), ...offersOf(element, base) });
  }
  const last = periods.at(-1);
  if (last === undefined) throw malformed('it has no period');
  if (whole !== null) last.duration ??= Math.max(whole - last.start, 0);
  return periods;
}

function offersOf(period: XmlElement, base: URL): Pick<Period, 'videos' | 'sounds' | 'refusal'> {
  const inPeriod = baseOf(period, base);
  const sets = childrenOf(period, 'AdaptationSet');
  const choices = sets.reduce((sum, set) => sum + 1 + childrenOf(set, 'Representation').length, 0);
  if (choices > MAX_CHOICES) throw malformed(`a period has more than ${MAX_CHOICES} representations`);
  sets.forEach(noLinks);
  const hasSeparateSound = sets.some((set) => kindOf(set) === 'audio');
  const videos: Representation[] = [];
  const sounds: SoundRepresentation[] = [];
  let refusal = NO_PICTURES;
  for (const set of sets) {
    if (isTrickMode(set)) continue;
    const heard: Representation[] = [];
    for (const element of childrenOf(set, 'Representation')) {
      const kind = kindOf(element, set);
      if (kind !== 'video' && kind !== 'audio') continue;
      const why = faultOf(element, set, kind);
      if (why === null) {
        const representation = representationOf([period, set, element], inPeriod, hasSeparateSound);
        (kind === 'video' ? videos : heard).push(representation);
      } else if (kind === 'video') refusal = why;
    }
    const [clearest] = heard.toSorted((one, other) => other.bandwidth - one.bandwidth);
    if (clearest === undefined) continue;
    const isDefault = childrenOf(set, 'Role').some(({ attributes }) => attributes['value'] === 'main');
    sounds.push({ ...clearest, language: set.attributes['lang'] ?? null, isDefault });
  }
  return { videos, sounds, refusal };
}

function representationOf(
  levels: [XmlElement, XmlElement, XmlElement],
  base: URL,
  hasSeparateSound: boolean,
): Representation {
  const [, set, representation] = levels;
  const attributes = { ...set.attributes, ...representation.attributes };
  const [width, height] = [wholeOf(attributes['width'], 0), wholeOf(attributes['height'], 0)];
  return {
    id: representation.attributes['id'] ?? '',
    bandwidth: wholeOf(attributes['bandwidth'], 0),
    resolution: width > 0 && height > 0 ? { lines: Math.min(width, height), pixels: width * height } : null,
    hasSeparateSound,
    base: baseOf(representation, baseOf(set, base)),
    levels,
  };
}

/** `video`, `audio`, …; empty where nothing says it. */
function kindOf(element: XmlElement, set?: XmlElement): string {
  const stated = { ...set?.attributes, ...element.attributes };
  const mime = stated['mimeType'] ?? childrenOf(element, 'Representation')[0]?.attributes['mimeType'];
  const kind = (mime ?? stated['contentType'] ?? '').split('/', 1)[0] ?? '';
  return kind === '' && stated['width'] !== undefined ? 'video' : kind;
}

/** Why a representation cannot be read. */
function faultOf(representation: XmlElement, set: XmlElement, kind: 'video' | 'audio'): string | null {
  const protection = childOf(representation, 'ContentProtection') ?? childOf(set, 'ContentProtection');
  if (protection !== undefined) {
    const { value, schemeIdUri } = protection.attributes;
    return `it is encrypted by ${(value ?? schemeIdUri ?? 'a scheme without a name').slice(0, 80)} (DRM)`;
  }
  const mime = representation.attributes['mimeType'] ?? set.attributes['mimeType'] ?? `${kind}/mp4`;
  if (kind === 'audio') return /^audio\/(?:mp4|mp2t)$/i.test(mime) ? null : 'its sound cannot be read';
  return /^video\/(?:mp4|mp2t)$/i.test(mime) ? null : `its pictures are ${mime.slice(0, 40)}; MP4 and MPEG-TS are read`;
}

function isTrickMode(set: XmlElement): boolean {
  return [...childrenOf(set, 'EssentialProperty'), ...childrenOf(set, 'SupplementalProperty')].some(
    ({ attributes }) => attributes['schemeIdUri'] === 'http://dashif.org/guidelines/trickmode',
  );
}

function baseOf(element: XmlElement, base: URL): URL {
  const text = childOf(element, 'BaseURL')?.text.trim();
  return text ? resolved(text, base) : base;
}

/** Refuses elements that are fetched from elsewhere. */
export function noLinks({ name, attributes }: XmlElement): void {
  if (Object.keys(attributes).some((each) => each.includes(':') && localName(each) === 'href')) {
    throw malformed(`${name.slice(0, 40)} lies elsewhere (xlink:href), which is not followed`);
  }
}
