import { FaceObservations } from '@adit/analyses/faces/observations';
import { decodeDirection, encodeDirection } from '@adit/analyses/image-embedding/vector-code';
import {
  elementAt,
  gapOfMedia,
  isLiveStream,
  matchGreedily,
  pictureIndex,
  zip,
  type Json,
  type Unit,
} from '@adit/contracts';
import { askAhead, NO_DICTIONARIES, rehearse } from '@adit/dictionaries';
import { addInterval, appendMark, bridges, emptyMarks, fitBudget, takeAll, takeFinal } from '@adit/module-kit';
import type { LabelDictionaries } from '@adit/dictionaries';
import type {
  ClosedSource,
  Fold,
  FoldContext,
  FoldInput,
  FoldStep,
  Instant,
  OpenSegment,
  Segment,
  Interval,
} from '@adit/module-kit';
import type { FaceRecognitionArguments } from './args.js';
import { candidatesOf, decideNames, MAX_WAITING } from './known-identities.js';
import type { KnownIdentity, Candidates, Decision, Naming } from './known-identities.js';
import { followFaces } from './following.js';
import type { Match, Matcher } from '../galleries/match.js';
import { identify, isNearer, joinIdentities, knownPerson, segmentOf, sortForEmission } from './segments.js';
import type { Appearance, Identity } from './segments.js';
import {
  betterPortrait,
  boxMark,
  comparedIdentityOf,
  identityOf,
  restoreTrack,
  capacityFor,
  storeTrack,
} from './track.js';
import type { Portrait, StoredTrack, Track } from './track.js';
import { instantsOf, portraitOf, sumOfViews } from './tracklet.js';
import type { Compared } from './tracklet.js';

/** `key` is that of the first track, in a live stream; `face` is a code (`encodeDirection`). */
type Named = { person: number; identity: Identity; portrait: Portrait; key?: string; face?: string };

/** State between two units: faces still followed, and known people who may return within the gap. */
export type FaceState = {
  source: number;
  /** Samples processed so far. */
  samples: number;
  last: Instant | null;
  nextThread: number;
  threads: StoredTrack[];
  /** Ended faces whose names wait for simultaneous ones. */
  waiting: StoredTrack[];
  /** Known identities that may still be visible beside an open face. */
  bearers: KnownIdentity[];
  named: Interval<Named>[];
};

/**
 * Limits that keep the state under 1 MiB: a track, open or waiting, takes about 3.9 kB without its marks (more with
 * another embedding, so fewer fit), a mark about 30 bytes, a known person who may return 1.7 to 2.1 kB.
 */
const MAX_TRACKS = 128;
const MAX_MARKS = 10_000;
/** Beyond this number, known people's segments no longer wait for a track that may be theirs. */
const MAX_NAMED = 96;
/** Seconds that a known person's segment waits for a face without views that may continue it. */
const WAIT_FOR_VIEWS = 30;

/** `openKey` is that of the open segment, in a live stream. */
type Seen = Appearance & { key: string; openKey?: string };

/**
 * Fold of faces into segments. Tracklets are joined to tracks (one followed face), an ended track is named by all its
 * views, and the tracks of one known person form one segment. Units may cut the source anywhere: the segments are the
 * same.
 */
export class FaceFold implements Fold<FaceState> {
  private readonly naming: Naming;

  constructor(
    private readonly args: FaceRecognitionArguments,
    private readonly matcher: Matcher,
    private readonly dictionaries: LabelDictionaries = NO_DICTIONARIES,
  ) {
    this.naming = { matcher, maxDistance: args.max_distance, topK: args.enable_top_k ? args.top_k : 1 };
  }

  async prepare(call: () => unknown): Promise<void> {
    await this.matcher.prepare(() => rehearse([this.dictionaries], call));
    await askAhead([this.dictionaries], call);
  }

  start(context: FoldContext): FaceState {
    return {
      source: context.sourceIndex ?? 0,
      samples: 0,
      last: null,
      nextThread: 0,
      threads: [],
      waiting: [],
      bearers: [],
      named: [],
    };
  }

  fold(
    state: FaceState,
    { unit, observations }: FoldInput,
    { rate }: Pick<FoldContext, 'rate'> = {},
  ): FoldStep<FaceState> {
    const faces = FaceObservations.parse(observations['faces']);
    if (unit.facts.kind === 'image') return { state, segments: this.ofImage(unit, faces) };

    const isLive = isLiveStream(unit.facts);
    const instants = instantsOf(faces, state.samples, gapOfMedia(unit.facts, rate));
    const named = [...state.named];
    const segments: Segment[] = [];
    let { last, nextThread, bearers } = state;
    let open = state.threads.map(restoreTrack);
    let waiting = this.candidatesOf(state.waiting.map(restoreTrack));
    for (const moment of followFaces(open, faces, instants, { nextId: nextThread, maxOpen: MAX_TRACKS })) {
      const { at, ended } = moment;
      ({ open, nextId: nextThread, at: last } = moment);
      const decision = this.decide([...waiting, ...this.candidatesOf(ended)], open, bearers);
      ({ waiting, bearers } = decision);
      const seen = this.name(decision.decided, named, isLive);
      const undecided = [...open, ...waiting.map(({ track }) => track)];
      const waits = named.length <= MAX_NAMED;
      const final = takeFinal(named, at, (interval) => waits && undecided.some((one) => this.mayBe(one, interval, at)));
      seen.push(...final.map(seenAs));
      segments.push(...this.emit(seen, state.source));
    }
    const next: FaceState = {
      source: state.source,
      samples: state.samples + instants.size,
      last,
      nextThread,
      threads: open.map(storeTrack),
      waiting: waiting.map(({ track }) => storeTrack(track)),
      bearers,
      named: named.map((interval) => ({ ...interval, marks: { ...interval.marks } })),
    };
    fitBudget(
      [...next.threads, ...next.waiting, ...next.named].map((holder) => holder.marks),
      MAX_MARKS,
    );
    return { state: next, segments };
  }

  close(state: FaceState, context?: Pick<FoldContext, 'facts'>): ClosedSource {
    const isLive = context !== undefined && isLiveStream(context.facts);
    const named = [...state.named];
    const ended = this.candidatesOf([...state.waiting, ...state.threads].map(restoreTrack));
    const seen = this.name(this.decide(ended, [], state.bearers).decided, named, isLive);
    seen.push(...takeAll(named).map(seenAs));
    return { segments: this.emit(seen, state.source), summaries: [] };
  }

  /**
   * Known people who may return, and faces in view that have been seen well enough to compare. A face that looks like such
   * a person is that person.
   */
  open(state: FaceState): OpenSegment[] {
    const named = state.named.filter(({ extra }) => extra.key !== undefined);
    const faces = this.candidatesOf([...state.waiting, ...state.threads].map(restoreTrack)).filter(
      ({ track, identity }) => identityOf(track) !== null && !named.some((one) => this.isOf(one, track, identity)),
    );
    const seen = faces.map(({ track, identity }): Seen => {
      const { start, end, marks, portrait } = track;
      return { key: '', start, end, marks, portrait, identity, embedding: null, openKey: openKeyOf(track) };
    });
    return [...named.map(seenAs), ...seen]
      .flatMap((one) => this.segments(one, { index: state.source, image: false }))
      .flatMap((segment) => (segment.key === undefined ? [] : [{ ...segment, key: segment.key }]));
  }

  /** True when a track that ended now would be joined with a known person's interval. */
  private isOf(interval: Interval<Named>, track: Track, identity: Identity): boolean {
    if (knownPerson(identity, this.args.max_distance) !== interval.extra.person) return false;
    return bridges(interval.end, track.start) && bridges(track.end, interval.start);
  }

  private candidatesOf(ended: readonly Track[]): Candidates[] {
    return ended.map((track) => candidatesOf(track, this.naming));
  }

  private decide(faces: readonly Candidates[], open: readonly Track[], bearers: KnownIdentity[]): Decision {
    const tracks = [...faces.map(({ track }) => track), ...open];
    const maxWaiting = Math.min(MAX_WAITING, capacityFor(tracks, MAX_TRACKS) - open.length);
    return decideNames(faces, { open, bearers, maxWaiting }, this.naming);
  }

  /** Moves tracks of known people to `named`, and returns unknown faces. */
  private name(decided: Decision['decided'], named: Interval<Named>[], isLive: boolean): Seen[] {
    const unknown: Seen[] = [];
    for (const { track, identity } of decided) {
      const person = knownPerson(identity, this.args.max_distance);
      const { start, end, marks, portrait } = track;
      if (person === null) {
        const key = `unknown ${track.startX.toFixed(6)} ${String(track.id).padStart(9, '0')}`;
        const openKey = isLive ? { openKey: openKeyOf(track) } : {};
        unknown.push({ key, start, end, marks, portrait, identity, embedding: identityOf(track), ...openKey });
      } else {
        const key = `known ${String(person).padStart(9, '0')}`;
        const openKey = isLive ? { key: openKeyOf(track) } : {};
        const embedding = identityOf(track);
        const face = embedding === null ? {} : { face: encodeDirection(embedding) };
        const extra = { person, identity, portrait, ...openKey, ...face };
        addInterval(named, { key, start, end, marks, extra }, joinNamed);
      }
    }
    return unknown;
  }

  /** True when an open track touches a known person's interval and looks like that person so far. */
  private mayBe(track: Track, interval: Interval<Named>, last: Instant): boolean {
    if (!bridges(interval.end, track.start) || !bridges(track.end, interval.start)) return false;
    const query = comparedIdentityOf(track);
    if (query !== null) return this.matcher.distanceTo(query, interval.extra.person) <= this.args.max_distance;
    return track.start.sample > interval.end.sample && last.time - interval.end.time <= WAIT_FOR_VIEWS;
  }

  private emit(seen: Seen[], source: number): Segment[] {
    return sortForEmission(seen).flatMap((one) => this.segments(one, { index: source, image: false }));
  }

  /** Folds a picture: one segment per face, whose frame is the picture's index in the job. */
  private ofImage(unit: Unit, faces: FaceObservations): Segment[] {
    const index = pictureIndex(unit);
    const at: Instant = { frame: index, time: 0, sample: index };
    const views = faces.tracks.map((track) => sumOfViews(track));
    return [...zip(zip(faces.tracks, views), this.identitiesOf(views))].flatMap(([[track, face], identity]) => {
      const marks = emptyMarks();
      const sighting = track.sightings[0];
      if (sighting !== undefined) appendMark(marks, boxMark(index, sighting.box), 1);
      const seen: Appearance = {
        start: at,
        end: at,
        marks,
        portrait: portraitOf(track),
        identity,
        embedding: identityOf(face),
      };
      return this.segments(seen, { index: unit.sourceIndex, image: true });
    });
  }

  /**
   * Identifies the faces of one picture, no person twice. Of two faces near one person the nearer gets the name, and
   * the other its next candidate. So a mirror image is unknown, and of twins one is recognised.
   */
  private identitiesOf(faces: readonly Compared[]): Identity[] {
    const { topK } = this.naming;
    const nameOf = ({ person }: Match): string => elementAt(this.matcher.persons, person).label;
    const identities = faces.map((face) => identify(face, this.matcher, topK + faces.length - 1));
    const pairs = identities.flatMap((identity) =>
      identity.nearest
        .filter(({ distance }) => distance <= this.args.max_distance)
        .map((match) => ({ left: identity, right: nameOf(match), cost: match.distance })),
    );
    const bearers = new Map(matchGreedily(pairs).map(({ left, right }) => [right, left]));
    return identities.map((identity) => ({
      ...identity,
      nearest: identity.nearest.filter((match) => (bearers.get(nameOf(match)) ?? identity) === identity).slice(0, topK),
    }));
  }

  /** Returns one segment, or none when the job's dictionaries drop it. */
  private segments(seen: Appearance & { openKey?: string }, source: { index: number; image: boolean }): Segment[] {
    const segment = segmentOf(seen, source, this.args, {
      persons: this.matcher.persons,
      dictionaries: this.dictionaries,
    });
    if (segment === null) return [];
    return [seen.openKey === undefined ? segment : { ...segment, key: seen.openKey }];
  }
}

/**
 * Migrates the state of version 2: folding anew would emit segments a second time that wait now and did not then.
 * Version 2 named every face separately; people who may return have their names.
 */
export function adoptFaces(state: Json, version: number): Json {
  if (version !== 2 || state === null) return null;
  // State type of that version.
  const former = state as Omit<FaceState, 'waiting' | 'bearers'>;
  const bearers = former.named.map(({ start, end, extra: { person } }) => {
    return { person, start: start.sample, end: end.sample };
  });
  return { ...former, waiting: [], bearers };
}

function joinNamed(a: Named, b: Named): Named {
  const face = isNearer(b.identity, a.identity) ? (b.face ?? a.face) : (a.face ?? b.face);
  return {
    person: a.person,
    identity: joinIdentities(a.identity, b.identity),
    portrait: betterPortrait(a.portrait, b.portrait),
    ...(a.key !== undefined && { key: a.key }),
    ...(face !== undefined && { face }),
  };
}

/** Key of the segment that begins with a track: a track keeps its start and its number. */
function openKeyOf({ start, id }: Pick<Track, 'start' | 'id'>): string {
  return `${start.frame}/${id}`;
}

function seenAs({ key, start, end, marks, extra }: Interval<Named>): Seen {
  const openKey = extra.key === undefined ? {} : { openKey: extra.key };
  const { portrait, identity, face } = extra;
  const embedding = face === undefined ? null : decodeDirection(face);
  return { key, start, end, marks, portrait, identity, embedding, ...openKey };
}
