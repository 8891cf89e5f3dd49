import { FaceObservations } from '@adit/analyses/faces/observations';
import { gapOfMedia, pictureIndex, SAME_FACE_DISTANCE, type Json, type Unit } from '@adit/contracts';
import { askAhead, NO_DICTIONARIES, rehearse, type LabelDictionaries } from '@adit/dictionaries';
import { betterPortrait, emptyMarks, NO_PORTRAIT } from '@adit/module-kit';
import type {
  ClosedSource,
  Fold,
  FoldContext,
  FoldInput,
  FoldStep,
  Instant,
  Portrait,
  Segment,
  Summary,
} from '@adit/module-kit';
import { candidatesOf, decideNames, MAX_WAITING } from '../face_recognition/known-identities.js';
import type { KnownIdentity, Candidates, Naming } from '../face_recognition/known-identities.js';
import { followFaces } from '../face_recognition/following.js';
import type { Matcher } from '../galleries/match.js';
import { knownPerson } from '../face_recognition/segments.js';
import { identityOf, restoreTrack, capacityFor, storeTrack } from '../face_recognition/track.js';
import type { StoredTrack, Track } from '../face_recognition/track.js';
import { instantsOf, portraitOf, sumOfViews } from '../face_recognition/tracklet.js';
import { joinPeople } from './join-people.js';
import { distanceTo, isShownDuring, newPerson, secondsSeen, settled, withAppearance } from './person.js';
import type { Appearance, Person } from './person.js';
import { keepingStays, NO_STAYS, withUnit } from './stays.js';
import type { Stays } from './stays.js';
import { count, emptyTally, femaleShare } from './tally.js';
import type { Tally } from './tally.js';
import { traitsOf } from '../face_recognition/traits.js';

export type PeopleState = {
  source: number;
  samples: number;
  first: Instant | null;
  last: Instant | null;
  stays: Stays;
  nextThread: number;
  threads: StoredTrack[];
  /** Ended faces whose names wait for simultaneous ones, and known identities beside an open face. */
  waiting: StoredTrack[];
  bearers: KnownIdentity[];
  people: Person[];
  /** People beyond those kept individually: their number, and their seconds. */
  others: { people: Tally; seconds: Tally };
  portrait: Portrait;
  /**
   * Pictures that an earlier version kept to the end; they are emitted with the next step. Earlier versions still read
   * this.
   */
  pictures: { source: number; people: Tally }[];
  /** Documents only: the analysed pages, and everybody on each of them. State of earlier versions has none. */
  document?: { firstPage: number; lastPage: number; people: Tally };
};

/** Result of a finished film. */
export interface FilmOfPeople {
  source: number;
  first: Instant;
  last: Instant;
  /** In the order of first appearance, with their seconds. */
  people: Person[];
  /** Number of people, and their seconds, by gender and age, including everybody. */
  count: Tally;
  shown: Tally;
  /** Analysed seconds of the film. */
  looked: number;
  /** Best view of anybody. */
  portrait: Portrait;
}

/** Output of a module about people. */
export interface PeopleReporter {
  /** Dictionaries that it uses. */
  readonly dictionaries?: LabelDictionaries;
  /** Result of a picture with people, or of a document; frames are images of the job, or pages. */
  picture(source: number, people: Tally, portrait: Portrait, frames: { first: number; last: number }): Segment[];
  /** Summaries of it. */
  summaries(source: number, people: Tally): Summary[];
  /** Result of a film with people. */
  film(film: FilmOfPeople): ClosedSource;
}

/** A person takes about 900 bytes of state; with the open tracks of face_recognition the state stays under 1 MiB. */
export const MAX_PEOPLE = 400;
const MAX_TRACKS = 100;
/**
 * Limit of appearances with stored times, of everybody together: 160 kB of state. Those beyond count in all summaries
 * except speech.
 */
const MAX_TIMES = 10_000;

const EMPTY: PeopleState = {
  source: 0,
  samples: 0,
  first: null,
  last: null,
  stays: NO_STAYS,
  nextThread: 0,
  threads: [],
  waiting: [],
  bearers: [],
  people: [],
  others: { people: emptyTally(), seconds: emptyTally() },
  portrait: NO_PORTRAIT,
  pictures: [],
};

/**
 * Determines who is in a source, how long, and with which apparent traits. Faces are followed as in face_recognition;
 * an ended one belongs to the person of the galleries it is near, else to the nearest unknown person, else to a new
 * one. Faces without a good view belong to nobody and count for nothing.
 */
export class PeopleFold implements Fold<PeopleState> {
  private readonly naming: Naming;

  constructor(
    private readonly reporter: PeopleReporter,
    private readonly matcher: Matcher,
    private readonly maxDistance = 1,
  ) {
    this.naming = { matcher, maxDistance, topK: 1 };
  }

  async prepare(call: () => unknown): Promise<void> {
    const { dictionaries = NO_DICTIONARIES } = this.reporter;
    await this.matcher.prepare(() => rehearse([dictionaries], call));
    await askAhead([dictionaries], call);
  }

  start(context: FoldContext): PeopleState {
    return { ...EMPTY, source: context.sourceIndex ?? 0 };
  }

  fold(
    state: PeopleState,
    { unit, observations }: FoldInput,
    { rate }: Pick<FoldContext, 'rate'> = {},
  ): FoldStep<PeopleState> {
    const faces = FaceObservations.parse(observations['faces']);
    if (unit.facts.kind === 'image') return this.picture(state, unit, faces);
    const gap = gapOfMedia(unit.facts, rate);
    const instants = instantsOf(faces, state.samples, gap);
    const [first, last] = [[...instants.values()][0], [...instants.values()].at(-1)];
    if (first === undefined || last === undefined) {
      return { state: { ...state, stays: withUnit(state.stays, unit, [], gap) }, segments: [] };
    }

    const next: PeopleState = {
      ...state,
      samples: state.samples + instants.size,
      first: state.first ?? first,
      last,
      stays: withUnit(state.stays, unit, [...instants.values()], gap),
    };
    let open = state.threads.map(restoreTrack);
    let waiting = this.candidatesOf(state.waiting.map(restoreTrack));
    for (const moment of followFaces(open, faces, instants, { nextId: next.nextThread, maxOpen: MAX_TRACKS })) {
      ({ open, nextId: next.nextThread } = moment);
      waiting = this.meet(next, [...waiting, ...this.candidatesOf(moment.ended)], open);
    }
    const undecided = [...open, ...waiting.map(({ track }) => track)];
    settle(next, earliest(undecided, last));
    next.threads = open.map(stored);
    next.waiting = waiting.map(({ track }) => stored(track));
    const ends = undecided.map(({ end }) => end.sample);
    return { state: { ...next, stays: keepingStays(next.stays, ends) }, segments: [] };
  }

  close(state: PeopleState): ClosedSource {
    if (state.pictures.length > 0) return { segments: [], summaries: this.kept(state) };
    const { first, last, source, document } = state;
    if (document !== undefined && femaleShare(document.people) !== null) {
      const { people, firstPage, lastPage } = document;
      const segments = this.reporter.picture(source, people, state.portrait, { first: firstPage, last: lastPage });
      return { segments, summaries: this.reporter.summaries(source, people) };
    }
    if (first === null || last === null) return { segments: [], summaries: [] };
    const next = { ...state };
    this.meet(next, this.candidatesOf([...state.waiting, ...state.threads].map(restoreTrack)), []);
    const people = joinPeople([...next.people].sort((a, b) => a.first - b.first));
    if (people.length === 0) return { segments: [], summaries: [] };
    const [total, shown] = [structuredClone(next.others.people), structuredClone(next.others.seconds)];
    for (const { traits, seconds } of people) {
      count(total, traits, 1);
      count(shown, traits, seconds);
    }
    return this.reporter.film({
      source,
      first,
      last,
      people,
      count: total,
      shown,
      looked: state.stays.looked,
      portrait: next.portrait,
    });
  }

  private candidatesOf(ended: readonly Track[]): Candidates[] {
    return ended.map((track) => candidatesOf(track, this.naming));
  }

  /** Assigns ended faces to people, and returns those that wait; changes `state`. */
  private meet(state: PeopleState, faces: readonly Candidates[], open: readonly Track[]): Candidates[] {
    const inOrder = [...faces].sort(({ track: a }, { track: b }) => {
      return a.end.sample - b.end.sample || a.start.sample - b.start.sample || a.startX - b.startX || a.id - b.id;
    });
    const maxWaiting = capacityFor([...inOrder.map(({ track }) => track), ...open], MAX_WAITING);
    const beside = { open, bearers: state.bearers, maxWaiting };
    const { decided, waiting, bearers } = decideNames(inOrder, beside, this.naming);
    state.bearers = bearers;
    let people = [...state.people];
    for (const { track, identity } of decided) {
      const face = identityOf(track);
      if (face === null || track.traits.weight <= 0) continue;
      const { start, end, traits } = track;
      const known = knownPerson(identity, this.maxDistance);
      const until = state.stays.until[end.sample] ?? end.time;
      const seen: Appearance = { known, face, traits, start, end, until };
      state.portrait = betterPortrait(state.portrait, track.portrait);
      const at = known === null ? nearestUnknown(people, seen) : people.findIndex((person) => person.known === known);
      const person = people[at];
      if (person !== undefined) people[at] = withAppearance(person, seen);
      else people.push(newPerson(seen));
      if (people.length > MAX_PEOPLE) people = this.retire(state, people);
    }
    state.people = people;
    return waiting;
  }

  /** Reduces the people seen least, and longest ago, to counts. */
  private retire(state: PeopleState, people: Person[]): Person[] {
    const newest = people.at(-1);
    const least = people
      .filter((person) => person !== newest)
      .reduce((a, b) => (secondsSeen(b) < secondsSeen(a) ? b : a));
    const others = structuredClone(state.others);
    count(others.people, least.traits, 1);
    count(others.seconds, least.traits, secondsSeen(least));
    state.others = others;
    return people.filter((person) => person !== least);
  }

  /** The pages of a document are counted together at its end. */
  private picture(state: PeopleState, unit: Unit, faces: FaceObservations): FoldStep<PeopleState> {
    const [source, index] = [unit.sourceIndex, pictureIndex(unit)];
    const isPage = unit.kind === 'image' && unit.page !== undefined;
    const before = isPage ? state.document : undefined;
    const people = before === undefined ? emptyTally() : structuredClone(before.people);
    let portrait = isPage ? state.portrait : NO_PORTRAIT;
    for (const track of faces.tracks) {
      const traits = traitsOf(track, sumOfViews(track).weight);
      if (traits.weight <= 0) continue;
      count(people, traits, 1);
      portrait = betterPortrait(portrait, portraitOf(track));
    }
    if (isPage) {
      const document = { firstPage: before?.firstPage ?? index, lastPage: index, people };
      return { state: { ...state, portrait, document }, segments: [] };
    }
    const next = state.pictures.length === 0 ? state : { ...state, pictures: [] };
    const summaries = this.kept(state);
    if (femaleShare(people) === null) return { state: next, segments: [], summaries };
    summaries.push(...this.reporter.summaries(source, people));
    return {
      state: next,
      segments: this.reporter.picture(source, people, portrait, { first: index, last: index }),
      summaries,
    };
  }

  private kept({ pictures }: PeopleState): Summary[] {
    return pictures.flatMap(({ source, people }) => this.reporter.summaries(source, people));
  }
}

/** Migrates the pictures of versions 1 and 2; people of a film are counted anew. */
export function adoptPeople(state: Json, version: number): Json {
  // The fields that are read here have not changed since those versions.
  const { first, source, pictures } = state as PeopleState;
  if (![1, 2].includes(version) || first !== null) return null;
  return { ...EMPTY, source, pictures };
}

/** Adds up appearances that nothing from `horizon` on can extend; changes `state`. */
function settle(state: PeopleState, horizon: Instant): void {
  const people = state.people.map((person) => settled(person, horizon));
  const kept = people.reduce((sum, { shown = [] }) => sum + shown.length / 2, 0);
  // Beyond the limit no further times are stored.
  state.people =
    kept > MAX_TIMES ? people.map((person, at) => ({ ...person, shown: state.people[at]?.shown ?? [] })) : people;
}

/** Positions of a face are not needed here. */
function stored(track: Track): StoredTrack {
  return storeTrack({ ...track, marks: emptyMarks() });
}

/** Returns the earliest beginning of a face that ends later. */
function earliest(open: Track[], last: Instant): Instant {
  return open.reduce((first, { start }) => (start.sample < first.sample ? start : first), last);
}

/**
 * Returns the unknown person a face is nearest to, among those near enough and not visible simultaneously; −1 for a new
 * one.
 */
function nearestUnknown(people: Person[], seen: Appearance): number {
  let [best, nearest] = [-1, SAME_FACE_DISTANCE];
  for (const [at, person] of people.entries()) {
    if (person.known !== null || isShownDuring(person, seen)) continue;
    const distance = distanceTo(person, seen.face);
    if (distance <= nearest) [best, nearest] = [at, distance];
  }
  return best;
}
