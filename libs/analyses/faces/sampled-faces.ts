import { elementAt } from '@adit/contracts';
import type { FramePack, PixelBox, RgbImage } from '@adit/inference';
import { confirmFaces, detectFaces, type DetectedFace, type DetectionNetworks } from '../detection/detect-faces.js';
import { SearchedRegions } from '../detection/searched-regions.js';
import { ahead } from '../tracking/ahead.js';
import { blocksOf, changedBlocks, type Blocks } from '../tracking/blocks.js';
import { areAlike, frameSignature } from '../tracking/shots.js';
import { expectedFaces, personAround } from './expected-faces.js';
import { faceAppearance } from './face-appearance.js';
import { boxIn, type Sighting } from './sighting.js';

/** Seconds between two samples that are searched everywhere, with some room for the film's own clock. */
const SEARCHED_EVERY = 2.1;

/** Concurrent samples: the next one is decoded while networks process the current one. */
const SAMPLES_IN_FLIGHT = 3;

/** A new face that is large enough to be found in the whole picture has this many times the changed blocks that go unnoticed. */
const UNNOTICED_SHARE = 4;
/** Shortest side of such a face, as a share of the picture's longer side: 32 of the detector's 320 pixels. */
const SEEN_WHOLE = 0.1;

/** One sampled frame. */
export interface SampledFaces {
  /** Seconds from the source's first frame. */
  time: number;
  sightings: Sighting[];
  /** `frameSignature` of the frame. */
  signature: Float32Array;
  blocks: Blocks;
}

/**
 * Finds the faces of every sample, in order. A sample every two seconds, the first and the last are searched everywhere,
 * but for regions that have not changed since. Of a sample between two such that show the same faces of the same place,
 * only these faces are looked at, unless something else has changed. Others are searched as a whole, and for small faces
 * around the small ones of the searched samples of that place. `closer` is the larger picture of a photo, null for films.
 */
export async function sampledFaces(
  pack: FramePack,
  closer: Promise<RgbImage> | null,
  networks: DetectionNetworks,
  signal: AbortSignal,
): Promise<SampledFaces[]> {
  const samples: Promise<SampledFaces>[] = [];
  const regions = new SearchedRegions();
  const look = (
    index: number,
    searched: readonly number[],
    last: Promise<SampledFaces> | null,
  ): Promise<SampledFaces> =>
    pack.withPicture(index, async (picture) => {
      const { time } = elementAt(pack.frames, index);
      const sample = { time, signature: frameSignature(picture), blocks: blocksOf(picture) };
      const around = await Promise.all(searched.map((at) => elementAt(samples, at)));
      // Regions are remembered from one searched sample to the next.
      const people = placesOfLarge((await last)?.sightings ?? [], picture);
      const faces =
        searched.length > 0
          ? await facesBetween(picture, sample, around, networks)
          : await detectFaces(picture, (await closer) ?? picture, networks, {
              regions: regions.next(sample.blocks, people),
            });
      return { ...sample, sightings: faces.map((face) => sighting(face, { index, time, picture })) };
    });
  let last: Promise<SampledFaces> | null = null;
  // A searched sample comes before those whose search it narrows, so that they never wait for one that has not begun.
  await ahead(searchOrder(pack.frames.map(({ time }) => time)), SAMPLES_IN_FLIGHT, ({ index, searched }) => {
    signal.throwIfAborted();
    const sample = look(index, searched, last);
    if (searched.length === 0) last = sample;
    return (samples[index] = sample);
  });
  return Promise.all(samples);
}

/** Finds the faces of a sample between two searched ones. */
async function facesBetween(
  picture: RgbImage,
  { time, signature, blocks }: Omit<SampledFaces, 'sightings'>,
  around: readonly SampledFaces[],
  networks: DetectionNetworks,
): Promise<DetectedFace[]> {
  const alike = around.filter((other) => areAlike(signature, other.signature));
  const [before, after] = alike;
  const expected = before === undefined || after === undefined ? null : expectedFaces(before, after, time);
  if (expected !== null && !showsMore(blocks, alike, expected, picture)) {
    const confirmed = await confirmFaces(picture, networks, expected);
    if (confirmed !== null) return confirmed;
  }
  const known = alike.length === 0 ? undefined : alike.flatMap(({ sightings }) => sightings);
  return detectFaces(picture, picture, networks, { known });
}

/** Places, in pixels of the picture, of people whose faces are found in the whole of it. */
function placesOfLarge(faces: readonly DetectedFace[], { width, height }: RgbImage): PixelBox[] {
  const boxes = faces.map((face) => boxIn({ width, height }, face));
  return boxes.filter(({ w, h }) => Math.min(w, h) >= SEEN_WHOLE * Math.max(width, height)).map(personAround);
}

/** Tests whether a picture shows what the others do not, beside people whose faces are expected; it may be a face. */
function showsMore(
  blocks: Blocks,
  others: readonly SampledFaces[],
  expected: readonly DetectedFace[],
  { width, height }: RgbImage,
): boolean {
  const people = expected.map((face) => personAround(boxIn({ width, height }, face)));
  const seen = others.map((other) => other.blocks);
  const changed = changedBlocks(blocks, seen, { x: 0, y: 0, w: width, h: height }, people);
  const ofFace = (SEEN_WHOLE * Math.max(blocks.columns, blocks.rows)) ** 2;
  return changed >= ofFace / UNNOTICED_SHARE;
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
