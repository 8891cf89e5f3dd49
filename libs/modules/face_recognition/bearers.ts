import type { Matcher } from '../galleries/match.js';
import { identify, identityAmong } from './segments.js';
import type { Identity } from './segments.js';
import { comparedIdentityOf } from './thread.js';
import type { Thread } from './thread.js';

/** Who a face of the recent past turned out to be, and in which samples, both inclusive. JSON, part of folds' states. */
export type Bearer = { person: number; start: number; end: number };

/**
 * Nearer than this is surely the person, or a picture of them: the faces of two people are never so near. By another network so much
 * of the distance up to which it means one person.
 */
const SURE_DISTANCE = 0.8;
/** People a face may be besides the nearest. */
const FURTHER_PEOPLE = 3;
/** Ended faces that wait for others still shown; one takes about 4 kB of state. */
export const MAX_WAITING = 32;
const MAX_BEARERS = 256;

export interface Naming {
  matcher: Matcher;
  maxDistance: number;
  /** People that an answered identity has at most. */
  topK: number;
}

/** What else is known when threads have ended. */
interface Beside {
  /** Those still followed. */
  open: readonly Thread[];
  /** As the decision before left them. */
  bearers: Bearer[];
  /** Threads that may wait; when they are more, all are named at once. */
  maxWaiting: number;
}

interface Named {
  thread: Thread;
  identity: Identity;
}

/** A thread that has ended, and whom it is near. */
export interface Candidates {
  thread: Thread;
  identity: Identity;
  /** Those near enough to be, nearest first. */
  people: Identity['nearest'];
}

export interface Decision {
  /** Who the faces are, in the order given: `nearest[0]`, when it is near enough. */
  decided: Named[];
  /** Those that have to wait for a thread still open, which may be the same person at the same time. */
  waiting: Candidates[];
  /** To be given to the next decision. */
  bearers: Bearer[];
}

/**
 * Says who threads are that have ended, such that no two faces that are shown at one time are one person: of two that might be,
 * the nearer is that person; of two that surely are (a mirror, a poster, twins under one name), the one that is seen more. The
 * other is whoever else it is near, or unknown. A thread waits for open ones that overlap it and so far look like the same
 * person; who was named before keeps the name.
 */
export function decideNames(
  faces: readonly Candidates[],
  { open, bearers: before, maxWaiting }: Beside,
  naming: Naming,
): Decision {
  if (faces.length === 0) return { decided: [], waiting: [], bearers: before };
  const blocked = open.length === 0 ? [] : faces.filter((face) => open.some((other) => isRival(face, other, naming)));
  const held = reach(blocked, faces);
  // More than the state can hold are decided now.
  const waiting = held.size > maxWaiting ? new Set<Candidates>() : held;
  const bearers = [...before];
  const given = new Map<Candidates, number>();
  const claims = faces
    .filter((face) => !waiting.has(face))
    .flatMap((face) =>
      face.people.map(({ person, distance }) => ({ face, person, cost: costOf(face, distance, naming) })),
    )
    .sort((a, b) => a.cost - b.cost);
  for (const { face, person } of claims) {
    const { start, end } = samplesOf(face.thread);
    const isTaken = bearers.some((one) => one.person === person && one.start <= end && start <= one.end);
    if (given.has(face) || isTaken) continue;
    given.set(face, person);
    bearers.push({ person, start, end });
  }
  const decided = faces.flatMap((face) => (waiting.has(face) ? [] : [named(face, bearers, given.get(face), naming)]));
  const undecided = [...open, ...[...waiting].map(({ thread }) => thread)];
  const oldest = Math.min(...undecided.map(({ start }) => start.sample));
  const kept = bearers.filter(({ end }) => end >= oldest).slice(-MAX_BEARERS);
  return { decided, waiting: [...waiting], bearers: kept };
}

export function candidatesOf(thread: Thread, { matcher, maxDistance, topK }: Naming): Candidates {
  const identity = identify(thread, matcher, topK + FURTHER_PEOPLE);
  return { thread, identity, people: identity.nearest.filter(({ distance }) => distance <= maxDistance) };
}

/** Sure ones by how much is seen of them, before all others by distance. */
function costOf({ thread }: Candidates, distance: number, { maxDistance }: Naming): number {
  const sure = thread.compared === null ? SURE_DISTANCE : SURE_DISTANCE * maxDistance;
  return distance <= sure ? -thread.weight : distance;
}

function isRival({ thread, people }: Candidates, open: Thread, { matcher, maxDistance }: Naming): boolean {
  if (people.length === 0 || !overlap(thread, open)) return false;
  const query = comparedIdentityOf(open);
  return query !== null && people.some(({ person }) => matcher.distanceTo(query, person) <= maxDistance);
}

/** These and all that hang on them: shown at one time, with a person that both may be. */
function reach(from: readonly Candidates[], all: readonly Candidates[]): Set<Candidates> {
  const reached = new Set(from);
  // A set goes on with what is added to it meanwhile.
  for (const one of reached) {
    const people = new Set(one.people.map(({ person }) => person));
    for (const other of all) {
      if (reached.has(other) || !overlap(one.thread, other.thread)) continue;
      if (other.people.some(({ person }) => people.has(person))) reached.add(other);
    }
  }
  return reached;
}

/** The identity without those whom other faces of the same time bear; one that was given comes first. */
function named(
  face: Candidates,
  bearers: readonly Bearer[],
  person: number | undefined,
  { matcher, topK }: Naming,
): Named {
  const { thread, identity, people } = face;
  const { start, end } = samplesOf(thread);
  const lost = new Set(people.map((match) => match.person));
  if (person !== undefined) lost.delete(person);
  const borne = new Set(bearers.filter((one) => one.start <= end && start <= one.end).map((one) => one.person));
  const nearest = identity.nearest.filter((match) => !(lost.has(match.person) && borne.has(match.person)));
  // The means of its views are of whoever is the nearest now.
  return { thread, identity: identityAmong(nearest.slice(0, topK), thread, matcher) };
}

function overlap(a: Thread, b: Thread): boolean {
  return a.start.sample <= b.end.sample && b.start.sample <= a.end.sample;
}

function samplesOf({ start, end }: Thread): { start: number; end: number } {
  return { start: start.sample, end: end.sample };
}
