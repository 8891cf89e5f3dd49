import type { Matcher } from '../galleries/match.js';
import { identify, identityAmong } from './segments.js';
import type { Identity } from './segments.js';
import { comparedIdentityOf } from './track.js';
import type { Track } from './track.js';

/** Known identity of a recent face, and its first and last sample, inclusive. JSON, part of folds' states. */
export type KnownIdentity = { person: number; start: number; end: number };

/**
 * Distance below which a face is certainly the person, or a picture of them: faces of two people are never this near.
 * Other networks use the same share of their maximum distance.
 */
const SURE_DISTANCE = 0.8;
/** Candidates beside the nearest person. */
const FURTHER_PEOPLE = 3;
/** Ended faces that wait for others still visible; one takes about 4 kB of state. */
export const MAX_WAITING = 32;
const MAX_KNOWN_IDENTITIES = 256;

export interface Naming {
  matcher: Matcher;
  maxDistance: number;
  /** Number of people per reported identity. */
  topK: number;
}

/** Context of a decision about ended tracks. */
interface Beside {
  /** Tracks still followed. */
  open: readonly Track[];
  /** Result of the previous decision. */
  bearers: KnownIdentity[];
  /** Limit of waiting tracks; with more, all are named at once. */
  maxWaiting: number;
}

interface Named {
  track: Track;
  identity: Identity;
}

/** An ended track, and the people it is near. */
export interface Candidates {
  track: Track;
  identity: Identity;
  /** People near enough, nearest first. */
  people: Identity['nearest'];
}

export interface Decision {
  /** Identities of the faces, in the given order: `nearest[0]`, when it is near enough. */
  decided: Named[];
  /** Tracks that wait for an open one, which may be the same person at the same time. */
  waiting: Candidates[];
  /** Input of the next decision. */
  bearers: KnownIdentity[];
}

/**
 * Names ended tracks such that no two simultaneously visible faces are one person: of two possible ones the nearer gets
 * the name; of two certain ones (a mirror, a poster, twins under one name) the one visible longer. The other gets its
 * next candidate, or is unknown. A track waits for open ones that overlap it and look like the same person so far;
 * assigned names stay.
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
    const { start, end } = samplesOf(face.track);
    const isTaken = bearers.some((one) => one.person === person && one.start <= end && start <= one.end);
    if (given.has(face) || isTaken) continue;
    given.set(face, person);
    bearers.push({ person, start, end });
  }
  const decided = faces.flatMap((face) => (waiting.has(face) ? [] : [named(face, bearers, given.get(face), naming)]));
  const undecided = [...open, ...[...waiting].map(({ track }) => track)];
  const oldest = Math.min(...undecided.map(({ start }) => start.sample));
  const kept = bearers.filter(({ end }) => end >= oldest).slice(-MAX_KNOWN_IDENTITIES);
  return { decided, waiting: [...waiting], bearers: kept };
}

export function candidatesOf(track: Track, { matcher, maxDistance, topK }: Naming): Candidates {
  const identity = identify(track, matcher, topK + FURTHER_PEOPLE);
  return { track, identity, people: identity.nearest.filter(({ distance }) => distance <= maxDistance) };
}

/** Certain ones are ordered by visibility, before all others by distance. */
function costOf({ track }: Candidates, distance: number, { maxDistance }: Naming): number {
  const sure = track.compared === null ? SURE_DISTANCE : SURE_DISTANCE * maxDistance;
  return distance <= sure ? -track.weight : distance;
}

function isRival({ track, people }: Candidates, open: Track, { matcher, maxDistance }: Naming): boolean {
  if (people.length === 0 || !overlap(track, open)) return false;
  const query = comparedIdentityOf(open);
  return query !== null && people.some(({ person }) => matcher.distanceTo(query, person) <= maxDistance);
}

/** Returns these and all connected ones: simultaneously visible, with a common candidate. */
function reach(from: readonly Candidates[], all: readonly Candidates[]): Set<Candidates> {
  const reached = new Set(from);
  // Iterating a set includes elements added meanwhile.
  for (const one of reached) {
    const people = new Set(one.people.map(({ person }) => person));
    for (const other of all) {
      if (reached.has(other) || !overlap(one.track, other.track)) continue;
      if (other.people.some(({ person }) => people.has(person))) reached.add(other);
    }
  }
  return reached;
}

/** Returns the identity without people assigned to simultaneous faces; a given one comes first. */
function named(
  face: Candidates,
  bearers: readonly KnownIdentity[],
  person: number | undefined,
  { matcher, topK }: Naming,
): Named {
  const { track, identity, people } = face;
  const { start, end } = samplesOf(track);
  const lost = new Set(people.map((match) => match.person));
  if (person !== undefined) lost.delete(person);
  const borne = new Set(bearers.filter((one) => one.start <= end && start <= one.end).map((one) => one.person));
  const nearest = identity.nearest.filter((match) => !(lost.has(match.person) && borne.has(match.person)));
  // The means of its views are recomputed for the nearest remaining person.
  return { track, identity: identityAmong(nearest.slice(0, topK), track, matcher) };
}

function overlap(a: Track, b: Track): boolean {
  return a.start.sample <= b.end.sample && b.start.sample <= a.end.sample;
}

function samplesOf({ start, end }: Track): { start: number; end: number } {
  return { start: start.sample, end: end.sample };
}
