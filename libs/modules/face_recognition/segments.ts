import { elementAt, SAME_FACE_DISTANCE, type Json } from '@adit/contracts';
import { boxDetection, inOrderOfEmission, segmentOfInterval } from '@adit/module-kit';
import type { LabelDictionaries } from '@adit/dictionaries';
import type { Instant, Segment, IntervalSource, Thinned } from '@adit/module-kit';
import type { FaceRecognitionArguments } from './args.js';
import { distanceOf, similarityOf } from '../galleries/embedding.js';
import type { Match, Matcher, Person } from '../galleries/match.js';
import { comparedIdentityOf, meanView } from './track.js';
import type { Portrait } from './track.js';
import type { Compared } from './tracklet.js';

/** Network that follows, clusters and indexes faces, whatever the galleries' network. */
export const FACE_NETWORK = 'face-embedding';
/** Distance and similarity of a face without a comparison. */
const FARTHEST = 2.0;

/**
 * Identity of a face as far as the galleries know. JSON, since a known person's interval is part of the fold's state.
 */
export type Identity = {
  /** Nearest people first; empty without a view or without a gallery. */
  nearest: Match[];
  /** Mean cosine of the views with the nearest person, −1..1, and their total weight. */
  meanCosine: number;
  weight: number;
};

export type Appearance = {
  start: Instant;
  end: Instant;
  marks: Thinned;
  portrait: Portrait;
  identity: Identity;
  /** Embedding of length 1 by the network that follows faces: unknown ones are clustered by it, and photos compared with it. */
  embedding: Float32Array | null;
};

export function identify(face: Compared, matcher: Matcher, topK: number): Identity {
  const query = comparedIdentityOf(face);
  return identityAmong(query === null ? [] : matcher.nearest(query, topK), face, matcher);
}

/** Returns the identity of a face among these people, nearest first. */
export function identityAmong(nearest: Match[], face: Compared, matcher: Matcher): Identity {
  const [closest] = nearest;
  const mean = meanView(face);
  const meanCosine = closest === undefined || mean === null ? -1 : matcher.cosineTo(mean, closest.person);
  return { nearest, meanCosine, weight: face.weight };
}

/** Returns the person of an identity: the nearest one, when near enough. */
export function knownPerson(identity: Identity, maxDistance: number): number | null {
  const closest = identity.nearest[0];
  return closest !== undefined && closest.distance <= maxDistance ? closest.person : null;
}

/** Tells whether the first of two identities of one person is nearer to that person. */
export function isNearer(a: Identity, b: Identity): boolean {
  return (a.nearest[0]?.distance ?? FARTHEST) < (b.nearest[0]?.distance ?? FARTHEST);
}

/** Joins two intervals of one person: the nearer identity decides, the means are weighted. */
export function joinIdentities(a: Identity, b: Identity): Identity {
  const nearer = isNearer(b, a) ? b : a;
  const weight = a.weight + b.weight;
  return {
    nearest: nearer.nearest,
    meanCosine: weight > 0 ? (a.meanCosine * a.weight + b.meanCosine * b.weight) / weight : nearer.meanCosine,
    weight,
  };
}

/** People, and the job's dictionaries for their names. */
interface Names {
  persons: readonly Person[];
  dictionaries: LabelDictionaries;
}

/**
 * Returns the segment for clients; null when the dictionaries list people without this one. `image` omits the means and
 * keeps the frame number.
 */
export function segmentOf(
  seen: Appearance,
  source: IntervalSource,
  args: FaceRecognitionArguments,
  { persons, dictionaries }: Names,
): Segment | null {
  const { identity } = seen;
  const closest = identity.nearest[0];
  const known = knownPerson(identity, args.max_distance);
  const person = known === null ? null : elementAt(persons, known);
  // Names have no language. An unknown person's label is not replaced, but a list of people drops it.
  const label = person !== null ? dictionaries.apply(person.label) : dictionaries.selects() ? null : 'unknown';
  if (label === null) return null;
  const nameOf = (match: Match) => dictionaries.rename(elementAt(persons, match.person).label);
  const similarity = closest === undefined ? 0 : similarityOf(closest.distance);
  const meta: Record<string, Json> = {
    person: label,
    class_id: person?.classId ?? null,
    ...(person === null && { closest_person: closest === undefined ? null : nameOf(closest) }),
    similarity: rounded(similarity),
    distance: rounded(closest?.distance ?? FARTHEST),
    ...(!source.image && {
      mean_similarity: rounded(closest === undefined ? 0 : Math.max(0, identity.meanCosine)),
      mean_distance: rounded(closest === undefined ? FARTHEST : distanceOf(identity.meanCosine)),
    }),
    indexed_identity: null,
    ...(args.enable_top_k && {
      top_k: identity.nearest.slice(0, args.top_k).map((match) => candidate(match, nameOf(match), persons)),
    }),
  };
  const embedding =
    seen.embedding === null ? null : Array.from(seen.embedding, (value) => Math.round(value * 1e6) / 1e6);
  const claimed = person === null && (args.index_unknowns || args.cluster_unknowns) ? embedding : null;
  return segmentOfInterval(seen, source, {
    type: 'face',
    label,
    confidence: rounded(similarity),
    meta,
    detections: seen.marks.kept.map((mark) => boxDetection('face_bbox', mark)),
    portrait: seen.portrait,
    ...(embedding !== null && { face: { network: FACE_NETWORK, embedding } }),
    ...(claimed !== null && {
      claim: {
        ...(args.index_unknowns
          ? { collection: args.index_collection, network: FACE_NETWORK }
          : { collection: 'unknowns' }),
        ...(source.image && { apart: `picture ${source.index}/${seen.start.frame}` }),
        embedding: claimed,
        maxDistance: SAME_FACE_DISTANCE,
      },
    }),
  });
}

/** Sorts by the order of emission within one step of the fold: by end, start, then person or position. */
export function sortForEmission<T extends { key: string; start: Instant; end: Instant }>(seen: T[]): T[] {
  return seen.sort(inOrderOfEmission);
}

function candidate({ person, distance }: Match, name: string, persons: readonly Person[]): Json {
  return {
    person: name,
    class_id: elementAt(persons, person).classId,
    similarity: rounded(similarityOf(distance)),
    distance: rounded(distance),
  };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
