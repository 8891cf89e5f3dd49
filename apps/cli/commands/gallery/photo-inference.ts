import { FaceObservations } from '@adit/analyses';
import { decodeEmbedding } from '@adit/analyses/faces/embedding';
import { ImageEmbeddingObservations } from '@adit/analyses/image-embedding/observations';
import { decodeDirection } from '@adit/analyses/image-embedding/vector-code';
import type { PhotoInference, PhotoOutcome } from './photo-embedder.js';

/** The largest face of a photo, as the network that comes with Adit has it, or one of somebody's own. */
export function faceInference(embedding?: string): PhotoInference {
  if (embedding === undefined)
    return { ...LARGEST_FACE, read: (observations) => largestFace(observations, 'embedding') };
  return {
    ...LARGEST_FACE,
    ...{ args: { embedding }, network: embedding, family: 'face-embedding' },
    read: (observations) => largestFace(observations, 'compared'),
  };
}

/** The network that comes with Adit. */
export const FACE_NETWORK = 'face-embedding';
const LARGEST_FACE = { analysis: 'faces', network: FACE_NETWORK };

function largestFace(observations: unknown, by: 'embedding' | 'compared'): PhotoOutcome {
  const { tracks } = FaceObservations.parse(observations);
  const sizeOf = (track: (typeof tracks)[number]) => Math.max(...track.sightings.map((sighting) => sighting.size));
  const [largest] = [...tracks].sort((a, b) => sizeOf(b) - sizeOf(a));
  if (largest === undefined) return { embedding: null, remark: 'not used: no face found' };
  const [view] = largest.views;
  if (view === undefined) return { embedding: null, remark: 'not used: the face is too small or too blurred' };
  const remark = tracks.length > 1 ? `${tracks.length} faces, took the largest` : null;
  const embedding = view[by];
  return { embedding: embedding === undefined ? null : decodeEmbedding(embedding), remark };
}

/** A photo as a whole, as the network that comes with Adit has it, or one of somebody's own. */
export function placeInference(embedding?: string): PhotoInference {
  return embedding === undefined
    ? WHOLE_PHOTO
    : { ...WHOLE_PHOTO, ...{ args: { embedding }, network: embedding, family: 'embedding', sized: true as const } };
}

export const PLACE_NETWORK = 'image-embedding';
const WHOLE_PHOTO: PhotoInference = {
  analysis: 'image-embedding',
  network: PLACE_NETWORK,
  read(observations) {
    const [photo] = ImageEmbeddingObservations.parse(observations).sampled;
    const embedding = photo === undefined ? null : decodeDirection(photo.embedding);
    // All zeros: it shows nothing that the network knows of.
    if (embedding === null || !embedding.some((value) => value !== 0)) {
      return { embedding: null, remark: 'not used: it shows nothing' };
    }
    return { embedding, remark: null };
  },
};
