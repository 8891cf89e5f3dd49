import { FaceObservations } from '@adit/analyses';
import { decodeEmbedding } from '@adit/analyses/faces/embedding';
import { ImageEmbeddingObservations } from '@adit/analyses/image-embedding/observations';
import { decodeDirection } from '@adit/analyses/image-embedding/vector-code';
import type { PhotoLook } from './photo-embedder.js';

/** The largest face of a photo. */
export const FACE_LOOK: PhotoLook = {
  analysis: 'faces',
  network: 'face-embedding',
  read(observations) {
    const { tracks } = FaceObservations.parse(observations);
    const sizeOf = (track: (typeof tracks)[number]) => Math.max(...track.sightings.map((sighting) => sighting.size));
    const [largest] = [...tracks].sort((a, b) => sizeOf(b) - sizeOf(a));
    if (largest === undefined) return { embedding: null, remark: 'not used: no face found' };
    const [view] = largest.views;
    if (view === undefined) return { embedding: null, remark: 'not used: the face is too small or too blurred' };
    const remark = tracks.length > 1 ? `${tracks.length} faces, took the largest` : null;
    return { embedding: decodeEmbedding(view.embedding), remark };
  },
};

/** A photo as a whole. */
export const PLACE_LOOK: PhotoLook = {
  analysis: 'image-embedding',
  network: 'image-embedding',
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
