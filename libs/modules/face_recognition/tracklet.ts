import type { FaceObservations } from '@adit/analyses/faces/observations';
import { AditError, type Box, elementAt } from '@adit/contracts';
import { bridges, instantsOf as instantsOfSamples, NO_PORTRAIT } from '@adit/module-kit';
import type { Instant, Portrait } from '@adit/module-kit';
import { traitsOf } from './traits.js';
import type { Traits } from './traits.js';
import { decodeEmbedding } from '../galleries/embedding.js';

type FaceTrack = FaceObservations['tracks'][number];
type FaceSighting = FaceTrack['sightings'][number];

/** Least weight of a view, so that a face with only bad ones still has an identity. */
const MIN_WEIGHT = 0.01;

/** Compared data of a face: Σ quality · embedding and Σ quality of some of its views; `sum` is null without any. */
export interface Compared {
  sum: Float64Array | null;
  /** The same by the galleries' network, where that differs. */
  compared: Float64Array | null;
  weight: number;
}

/** A face in one sample, with its usable data. */
export interface Sighting extends Compared {
  at: Instant;
  box: Box;
}

/** A track of one unit, without a gap that splits. */
export interface Tracklet {
  start: Instant;
  firstBox: Box;
  /** In order. */
  sightings: Sighting[];
  /** Apparent traits, for modules that count people. */
  traits: Traits;
  portrait: Portrait;
}

/**
 * Returns the instants of a unit's samples by frame number, counted on from `samplesBefore`; `gap` as in `gapOfMedia`.
 */
export function instantsOf(observations: FaceObservations, samplesBefore: number, gap?: number): Map<number, Instant> {
  // Frames with a sighting were certainly sampled.
  const sightings = observations.tracks.flatMap((track) => track.sightings);
  return instantsOfSamples([...observations.sampled, ...sightings], samplesBefore, gap);
}

/** Returns a unit's tracks, split at long absences, in the order of beginning. */
export function trackletsOf(observations: FaceObservations, instants: Map<number, Instant>): Tracklet[] {
  return observations.tracks
    .flatMap((track) => pieces(track, instants).map((piece) => trackletOf(track, piece, instants)))
    .sort((a, b) => a.start.sample - b.start.sample || a.firstBox.x - b.firstBox.x || a.firstBox.y - b.firstBox.y);
}

/**
 * Returns the weighted sum of the views between two frames, inclusive; the analysis only stores views that are
 * evidence.
 */
export function sumOfViews(track: FaceTrack, from = 0, to = Number.POSITIVE_INFINITY): Compared {
  let sum: Float64Array | null = null;
  let compared: Float64Array | null = null;
  let weight = 0;
  for (const view of track.views) {
    if (view.frame < from || view.frame > to) continue;
    const quality = Math.max(MIN_WEIGHT, view.quality);
    sum = withView(sum, view.embedding, quality);
    if (view.compared !== undefined) compared = withView(compared, view.compared, quality);
    weight += quality;
  }
  return { sum, compared, weight };
}

function withView(sum: Float64Array | null, view: string, quality: number): Float64Array {
  const embedding = decodeEmbedding(view);
  const before = sum ?? new Float64Array(embedding.length);
  return before.map((value, index) => value + quality * elementAt(embedding, index));
}

export function portraitOf(track: FaceTrack): Portrait {
  return { rank: track.views[0]?.quality ?? 0, thumbnail: track.thumbnail, keyFrame: track.keyFrame };
}

function pieces(track: FaceTrack, instants: Map<number, Instant>): FaceSighting[][] {
  const sightings = [...track.sightings].sort((a, b) => a.frame - b.frame);
  const split: FaceSighting[][] = [];
  let before: Instant | null = null;
  for (const sighting of sightings) {
    const at = instantOf(sighting, instants);
    const last = split.at(-1);
    if (last !== undefined && before !== null && bridges(before, at)) last.push(sighting);
    else split.push([sighting]);
    before = at;
  }
  return split;
}

/** Throws INTERNAL for a face in an unsampled frame, since the observations contradict themselves. */
function instantOf({ frame }: FaceSighting, instants: Map<number, Instant>): Instant {
  const at = instants.get(frame);
  if (at === undefined) throw new AditError('INTERNAL', `A face is seen in frame ${frame}, which was not sampled.`);
  return at;
}

function trackletOf(track: FaceTrack, sightings: FaceSighting[], instants: Map<number, Instant>): Tracklet {
  const [first, last] = [elementAt(sightings, 0), elementAt(sightings, -1)];
  const best = track.views[0];
  const showsBest = best === undefined || (best.frame >= first.frame && best.frame <= last.frame);
  const seen = sightings.map((sighting, index): Sighting => {
    const { frame, box } = sighting;
    const before = sightings[index - 1]?.frame ?? frame - 1;
    return { at: instantOf(sighting, instants), box, ...sumOfViews(track, before + 1, frame) };
  });
  const weight = seen.reduce((sum, sighting) => sum + sighting.weight, 0);
  return {
    start: instantOf(first, instants),
    firstBox: first.box,
    sightings: seen,
    traits: traitsOf(track, weight),
    portrait: showsBest ? portraitOf(track) : NO_PORTRAIT,
  };
}
