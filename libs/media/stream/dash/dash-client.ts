import { AditError } from '@adit/contracts';
import { discard, type WebAnswer } from '../../fetch/web-client.js';
import { best } from '../segments/best.js';
import { chooseSound, type SoundOffer } from '../segments/choose-sound.js';
import { lazyResource, type MediaPlaylist, type Resource, type Segment } from '../segments/media-playlist.js';
import { conditionOf, SegmentClient, type SegmentClientOptions } from '../segments/segment-client.js';
import type { Address } from './addressing.js';
import { listSegments, needsClock, type Choose, type Listed } from './listing.js';
import { malformed } from './malformed.js';
import { MAX_MANIFEST_BYTES, NO_PICTURES, parseManifest, type Manifest } from './manifest.js';
import { Numbering, type Numbered } from './numbering.js';
import { clockAhead, MAX_TIME_BYTES } from './server-clock.js';

/** Time between two requests for a manifest, whatever it says. */
const LEAST_UPDATE_SECONDS = 1;
/** Time between them where it says that it does not change: its end is a change all the same. */
const USUAL_UPDATE_SECONDS = 30;
/** Time after which a segment that the clock promises counts as missing. */
const LATE_SECONDS = 5;
const START_FROM_END = 3;
/** Initialisation sections that are remembered. */
const MAX_MAPS = 64;

interface FetchedManifest {
  manifest: Manifest;
  /** Where it came from. */
  url: URL;
  condition: Record<string, string>;
  /** Milliseconds since 1970. */
  askedAt: number;
}

/** Pictures, chosen as the variants of HLS are; of a manifest without any, its sound. */
function usualChoice({ periods }: Manifest): Choose {
  if (periods.some(({ videos }) => videos.length > 0)) return ({ videos }) => (videos.length > 0 ? best(videos) : null);
  return ({ sounds, refusal }) => (refusal === NO_PICTURES ? chooseSound(sounds, undefined) : null);
}

/** Fetches manifests of DASH and segments of what is read: one representation of each period. */
export class DashClient extends SegmentClient {
  private readonly numbering = new Numbering();
  private readonly maps = new Map<string, Resource>();
  private fetched: FetchedManifest | null = null;
  /** Seconds since 1970 that the stream counts from; null for a film. */
  private origin: number | null = null;
  /** Milliseconds by which the server's clock is ahead of ours; null where nobody has asked yet. */
  private ahead: number | null = null;

  /** @param choose - says which representation is read; default the pictures */
  constructor(
    private readonly address: URL,
    options: SegmentClientOptions,
    private readonly choose: Choose | null = null,
  ) {
    super(address, options);
  }

  override sounds(): readonly SoundOffer[] {
    return this.fetched?.manifest.periods.findLast(({ videos }) => videos.length > 0)?.sounds ?? [];
  }

  override separateSound(track: string | undefined, signal = this.options.signal): SegmentClient | null {
    if (chooseSound(this.sounds(), track) === null) return null;
    return new DashClient(this.address, { ...this.options, signal }, ({ sounds }) => chooseSound(sounds, track));
  }

  override async open(): Promise<MediaPlaylist> {
    await this.fetch(this.start, {});
    const playlist = this.list();
    this.hasOpened = true;
    return playlist;
  }

  override async *segment(resource: Resource, number: number): AsyncGenerator<Buffer, void, undefined> {
    try {
      yield* super.segment(resource, number);
    } catch (error) {
      // The manifest may say why, before it has to be fetched again.
      this.isSuspect = true;
      throw error;
    }
  }

  override async reload(): Promise<MediaPlaylist> {
    const { fetched } = this;
    if (fetched === null) throw new AditError('INTERNAL', 'A stream was followed before it was opened.');
    const { manifest, url, condition, askedAt } = fetched;
    const stated = this.isSuspect ? 0 : (manifest.updateSeconds ?? USUAL_UPDATE_SECONDS);
    if (Date.now() >= askedAt + Math.max(stated, LEAST_UPDATE_SECONDS) * 1000)
      await this.fetch(manifest.location ?? url, condition);
    return this.list();
  }

  private async fetch(start: URL, condition: Record<string, string>): Promise<void> {
    const askedAt = Date.now();
    this.isSuspect = false;
    const answer = await this.get(start, condition);
    if (answer.status === 304 && this.fetched !== null) {
      discard(answer.body);
      this.fetched.askedAt = askedAt;
      return;
    }
    this.checkStatus(answer, [200]);
    const text = (await this.whole(answer, MAX_MANIFEST_BYTES)).toString('utf8');
    const manifest = await this.whenRead(() => parseManifest(text, answer.url));
    this.fetched = { manifest, url: answer.url, condition: conditionOf(answer), askedAt };
    this.origin = manifest.availableFrom ?? this.origin;
    if (this.ahead !== null || !manifest.isDynamic || !needsClock(manifest, this.choose ?? usualChoice(manifest)))
      return;
    const received = { base: answer.url, headers: answer.headers, receivedAt: (askedAt + Date.now()) / 2 };
    this.ahead = await clockAhead(manifest, received, { ask: (url) => this.ask(url) });
  }

  private async ask(url: URL): Promise<{ text: string; headers: WebAnswer['headers'] }> {
    const answer = await this.get(url);
    this.checkStatus(answer, [200]);
    return { text: (await this.whole(answer, MAX_TIME_BYTES)).toString('utf8'), headers: answer.headers };
  }

  /** What the manifest lists now. */
  private list(): MediaPlaylist {
    const { fetched, numbering, origin } = this;
    if (fetched === null) throw malformed('there is none');
    const { manifest } = fetched;
    const now = (Date.now() + (this.ahead ?? 0)) / 1000;
    const listed = listSegments(manifest, { now, choose: this.choose ?? usualChoice(manifest), origin: origin ?? 0 });
    const segments = numbering.assign(listed).map((each) => this.segmentOf(each));
    const newest = segments.findLast(({ isGap }) => !isGap);
    const { durationSeconds, updateSeconds, delaySeconds } = manifest;
    const end = durationSeconds === null || origin === null ? Infinity : origin + durationSeconds;
    return {
      kind: 'media',
      targetSeconds: newest?.seconds ?? LEAST_UPDATE_SECONDS,
      firstNumber: segments[0]?.number ?? numbering.next,
      hasEnded: !manifest.isDynamic || now > end + LATE_SECONDS,
      segments,
      startFromEnd: startFromEnd(listed, delaySeconds),
      ...(updateSeconds !== null && { updateSeconds }),
    };
  }

  private segmentOf(numbered: Numbered): Segment {
    const {
      number,
      begins,
      start,
      seconds,
      media,
      initialization,
      availableAt,
      isWholeFile = false,
      isDated = true,
      clockOffset = 0,
    } = numbered;
    const resource = lazyResource(media?.url ?? noAddress, media?.range ?? null, null);
    const expectedUntil =
      availableAt === null
        ? undefined
        : availableAt * 1000 - (this.ahead ?? 0) + Math.max(2 * seconds, LATE_SECONDS) * 1000;
    return Object.assign(resource, {
      ...{ number, seconds, isDiscontinuous: begins, isGap: media === null, isWholeFile, clockOffset },
      map: media === null || initialization === null ? null : this.initialization(initialization),
      statedTime: this.origin === null || !isDated ? null : start * 1000,
      ...(expectedUntil !== undefined && { expectedUntil }),
    });
  }

  /** One that is listed again stays the same. */
  private initialization({ url, range }: Address): Resource {
    const key = `${url().href} ${range?.offset ?? ''} ${range?.length ?? ''}`;
    let known = this.maps.get(key);
    if (known === undefined) {
      known = lazyResource(url, range, null);
      const [oldest] = this.maps.keys();
      if (this.maps.size >= MAX_MAPS && oldest !== undefined) this.maps.delete(oldest);
      this.maps.set(key, known);
    }
    return known;
  }
}

function noAddress(): URL {
  throw malformed('it has no segment there');
}

/** Segments from the end that lie as far back as the server wants readers to begin. */
function startFromEnd(listed: readonly Listed[], delaySeconds: number | null): number {
  if (delaySeconds === null) return START_FROM_END;
  let seconds = 0;
  const at = listed.findLastIndex((each) => (seconds += each.seconds) >= delaySeconds);
  return Math.max(listed.length - Math.max(at, 0), 1);
}
