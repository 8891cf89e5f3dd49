import { elementAt } from '@adit/contracts';
import type { FramePack, RgbImage } from '@adit/inference';
import { detectFaces, type DetectedFace, type DetectionNetworks } from '../detection/detect-faces.js';
import { ahead } from '../tracking/ahead.js';
import { areAlike, frameSignature } from '../tracking/shots.js';
import { faceAppearance } from './face-appearance.js';
import type { Sighting } from './sighting.js';

/** Seconds between two samples that are searched everywhere, with some room for the film's own clock. */
const SEARCHED_EVERY = 2.1;

/** Concurrent samples: the next one is decoded while networks process the current one. */
const SAMPLES_IN_FLIGHT = 3;

/** One sampled frame. */
export interface SampledFaces {
  sightings: Sighting[];
  /** `frameSignature` of the frame. */
  signature: Float32Array;
}

/**
 * Finds the faces of every sample, in order. A sample every two seconds, the first and the last are searched everywhere;
 * those between them as a whole, and for small faces around the small ones that the searched samples before and after it
 * show of the same place. `closer` is the larger picture of a photo, null for films.
 */
export async function sampledFaces(
  pack: FramePack,
  closer: Promise<RgbImage> | null,
  networks: DetectionNetworks,
  signal: AbortSignal,
): Promise<SampledFaces[]> {
  const samples: Promise<SampledFaces>[] = [];
  const look = (index: number, searched: readonly number[]): Promise<SampledFaces> =>
    pack.withPicture(index, async (picture) => {
      const signature = frameSignature(picture);
      const around = await Promise.all(searched.map((at) => elementAt(samples, at)));
      const alike = around.filter((other) => areAlike(signature, other.signature));
      const known = alike.length === 0 ? undefined : alike.flatMap(({ sightings }) => sightings);
      const faces = await detectFaces(picture, (await closer) ?? picture, networks, known);
      const { time } = elementAt(pack.frames, index);
      return { sightings: faces.map((face) => sighting(face, { index, time, picture })), signature };
    });
  // A searched sample comes before those whose search it narrows, so that they never wait for one that has not begun.
  await ahead(searchOrder(pack.frames.map(({ time }) => time)), SAMPLES_IN_FLIGHT, ({ index, searched }) => {
    signal.throwIfAborted();
    return (samples[index] = look(index, searched));
  });
  return Promise.all(samples);
}

/**
 * Returns the order in which samples at these times, in seconds, are looked at: each with the searched samples around
 * it, which stand before it; none for a sample that is searched everywhere itself.
 */
export function searchOrder(times: readonly number[]): { index: number; searched: number[] }[] {
  const order: { index: number; searched: number[] }[] = [];
  let before = -1;
  for (const index of times.keys()) {
    const isLast = index === times.length - 1;
    const isNextTooLate =
      !isLast && before >= 0 && elementAt(times, index + 1) - elementAt(times, before) > SEARCHED_EVERY;
    if (before >= 0 && !isLast && !isNextTooLate) continue;
    order.push({ index, searched: [] });
    for (let between = before + 1; between < index; between++)
      order.push({ index: between, searched: [before, index] });
    before = index;
  }
  return order;
}

function sighting(
  face: DetectedFace,
  { index, time, picture }: { index: number; time: number; picture: RgbImage },
): Sighting {
  return { ...face, index, time, appearance: faceAppearance(picture, face.points) };
}
