import { FaceObservations } from '@adit/analyses/faces/observations';
import { betterPortrait, emptyMarks, isFinal, NO_PORTRAIT } from '@adit/mining';
import type { ClosedSource, Fold, FoldContext, FoldInput, FoldStep, Instant, Portrait, Segment } from '@adit/mining';
import { linkTracklets, SAME_FACE_DISTANCE } from '../face_recognition/linking.js';
import type { Matcher } from '../galleries/match.js';
import { identify, knownPerson } from '../face_recognition/segments.js';
import { identityOf, restoreThread, storeThread } from '../face_recognition/thread.js';
import type { StoredThread, Thread } from '../face_recognition/thread.js';
import { instantsOf, portraitOf, sumOfViews, trackletsOf } from '../face_recognition/tracklet.js';
import { distanceTo, newPerson, samplesSeen, settled, withAppearance } from './person.js';
import type { Appearance, Person } from './person.js';
import { count, emptyTally, femaleShare } from './tally.js';
import type { Tally } from './tally.js';
import { traitsOf } from './traits.js';

export type PeopleState = {
  source: number;
  samples: number;
  first: Instant | null;
  last: Instant | null;
  /** Seconds and steps between samples that follow each other within a unit: how long one sample stands for. */
  pace: { seconds: number; steps: number };
  nextThread: number;
  threads: StoredThread[];
  people: Person[];
  /** People beyond those kept one by one: how many, and the samples that show them. */
  others: { people: Tally; samples: Tally };
  portrait: Portrait;
  /** Of an image job: for each picture with faces its place in the job, then who is on it. */
  pictures: { source: number; people: Tally }[];
};

/** What is known of a film when it is over. */
export interface FilmOfPeople {
  source: number;
  first: Instant;
  last: Instant;
  /** In the order in which they first appear, with the samples that show each. */
  people: (Person & { samples: number })[];
  /** How many people, and for how many samples, by gender and age; everybody counted. */
  count: Tally;
  shown: Tally;
  /** Seconds that one sample stands for. */
  pace: number;
  /** The best view of anybody. */
  portrait: Portrait;
}

/** What a module says of the people it is told of. */
export interface PeopleTeller {
  /** A picture that shows somebody. */
  picture(source: number, people: Tally, portrait: Portrait): Segment[];
  /** All pictures of the job that show somebody, in order. */
  pictures(pictures: PeopleState['pictures']): ClosedSource;
  /** A film in which somebody was seen. */
  film(film: FilmOfPeople): ClosedSource;
}

/** A person takes about 900 bytes of state; with the open threads of face_recognition the state stays under 1 MiB. */
export const MAX_PEOPLE = 400;
const MAX_THREADS = 100;

/**
 * Who is in a source, how long, and what their faces read as. Faces are followed as face_recognition follows them; one
 * that has ended belongs to the person of the galleries it is near, else to the unknown person it is nearest to, else to
 * somebody new. Faces that were never seen well enough to be looked at closely belong to nobody and count for nothing.
 */
export class PeopleFold implements Fold<PeopleState> {
  constructor(
    private readonly teller: PeopleTeller,
    private readonly matcher: Matcher,
    private readonly maxDistance = 1,
  ) {}

  start(context: FoldContext): PeopleState {
    return {
      source: context.sourceIndex ?? 0,
      samples: 0,
      first: null,
      last: null,
      pace: { seconds: 0, steps: 0 },
      nextThread: 0,
      threads: [],
      people: [],
      others: { people: emptyTally(), samples: emptyTally() },
      portrait: NO_PORTRAIT,
      pictures: [],
    };
  }

  fold(state: PeopleState, { unit, observations }: FoldInput): FoldStep<PeopleState> {
    const faces = FaceObservations.parse(observations['faces']);
    if (unit.facts.kind === 'image') return this.picture(state, unit.sourceIndex, faces);
    const instants = instantsOf(faces, state.samples);
    const [first, last] = [[...instants.values()][0], [...instants.values()].at(-1)];
    if (first === undefined || last === undefined) return { state, segments: [] };

    const threads = state.threads.map(restoreThread);
    const nextThread = linkTracklets(threads, trackletsOf(faces, instants), state.nextThread);
    const ended = threads.filter((thread) => isFinal(thread.end, last));
    const open = threads.filter((thread) => !isFinal(thread.end, last));
    if (open.length > MAX_THREADS) {
      // More faces than the state can hold: those longest out of sight, then the smallest, end here.
      open.sort((a, b) => b.end.sample - a.end.sample || b.box.h - a.box.h || a.id - b.id);
      ended.push(...open.splice(MAX_THREADS));
    }
    const next: PeopleState = {
      ...state,
      samples: state.samples + instants.size,
      first: state.first ?? first,
      last,
      pace: {
        seconds: state.pace.seconds + last.time - first.time,
        steps: state.pace.steps + last.sample - first.sample,
      },
      nextThread,
      // Where a face was is of no interest here.
      threads: open.sort((a, b) => a.id - b.id).map((thread) => storeThread({ ...thread, marks: emptyMarks() })),
    };
    this.meet(next, ended, earliest(open, last));
    return { state: next, segments: [] };
  }

  close(state: PeopleState, context: FoldContext): ClosedSource {
    if (state.pictures.length > 0) return this.teller.pictures(state.pictures);
    const { first, last, source, pace } = state;
    if (first === null || last === null) return { segments: [], summaries: [] };
    const next = { ...state };
    this.meet(next, state.threads.map(restoreThread), last);
    const people = [...next.people]
      .sort((a, b) => a.first - b.first)
      .map((person) => ({ ...person, samples: samplesSeen(person) }));
    if (people.length === 0) return { segments: [], summaries: [] };
    const [total, shown] = [structuredClone(next.others.people), structuredClone(next.others.samples)];
    for (const { traits, samples } of people) {
      count(total, traits, 1);
      count(shown, traits, samples);
    }
    // A film of one sample is as long as it is, but a second look would have come within half a second.
    const duration = context.facts.kind === 'video' ? context.facts.duration : 0;
    const seconds = pace.steps > 0 ? pace.seconds / pace.steps : Math.min(duration, 0.5);
    return this.teller.film({
      source,
      first,
      last,
      people,
      count: total,
      shown,
      pace: seconds,
      portrait: next.portrait,
    });
  }

  /** Gives faces that have ended to the people they are; `state` is changed. */
  private meet(state: PeopleState, ended: Thread[], horizon: Instant): void {
    let people = [...state.people];
    const inOrder = [...ended].sort(
      (a, b) => a.end.sample - b.end.sample || a.start.sample - b.start.sample || a.startX - b.startX || a.id - b.id,
    );
    for (const thread of inOrder) {
      const face = identityOf(thread);
      if (face === null || thread.traits.weight <= 0) continue;
      const { start, end, traits } = thread;
      const known = knownPerson(identify(thread, this.matcher, 1), this.maxDistance);
      const seen: Appearance = { known, face, traits, start, end };
      state.portrait = betterPortrait(state.portrait, thread.portrait);
      const at = known === null ? nearestUnknown(people, face) : people.findIndex((person) => person.known === known);
      if (at >= 0) people[at] = withAppearance(people[at] as Person, seen);
      else people.push(newPerson(seen));
      if (people.length > MAX_PEOPLE) people = this.retire(state, people);
    }
    state.people = people.map((person) => settled(person, horizon));
  }

  /** Whoever was seen least, and longest ago, is from now on only counted. */
  private retire(state: PeopleState, people: Person[]): Person[] {
    const newest = people.at(-1);
    const least = people
      .filter((person) => person !== newest)
      .reduce((a, b) => (samplesSeen(b) < samplesSeen(a) ? b : a));
    const others = structuredClone(state.others);
    count(others.people, least.traits, 1);
    count(others.samples, least.traits, samplesSeen(least));
    state.others = others;
    return people.filter((person) => person !== least);
  }

  private picture(state: PeopleState, source: number, faces: FaceObservations): FoldStep<PeopleState> {
    const people = emptyTally();
    let portrait = NO_PORTRAIT;
    for (const track of faces.tracks) {
      const traits = traitsOf(track, sumOfViews(track).weight);
      if (traits.weight <= 0) continue;
      count(people, traits, 1);
      portrait = betterPortrait(portrait, portraitOf(track));
    }
    if (femaleShare(people) === null) return { state, segments: [] };
    const pictures = [...state.pictures, { source, people }];
    return { state: { ...state, pictures }, segments: this.teller.picture(source, people, portrait) };
  }
}

/** What a face that ends later may have begun with. */
function earliest(open: Thread[], last: Instant): Instant {
  return open.reduce((first, { start }) => (start.sample < first.sample ? start : first), last);
}

function nearestUnknown(people: Person[], face: Float32Array): number {
  let [best, nearest] = [-1, SAME_FACE_DISTANCE];
  for (const [at, person] of people.entries()) {
    if (person.known !== null) continue;
    const distance = distanceTo(person, face);
    if (distance <= nearest) [best, nearest] = [at, distance];
  }
  return best;
}
