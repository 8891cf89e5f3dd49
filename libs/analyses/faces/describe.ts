import { frameAt, type FramePack, type Networks } from '@adit/inference';
import { encodeEmbedding } from './embedding.js';
import { readExpression } from './expression.js';
import type { EmbeddedTrack } from './join.js';
import type { PictureKeeper } from '../tracking/picture-keeper.js';
import { attributesOf, cutOut, THUMBNAIL_SIDE, thumbnailOf, type CloseView } from './close-view.js';
import type { FaceTrack } from './observations.js';
import type { Sighting } from './sighting.js';

interface DescribeContext {
  small: FramePack;
  native: FramePack;
  sizeOf: (sighting: Sighting) => number;
  keeper: PictureKeeper;
  networks: Networks<'face-age-gender' | 'face-attributes' | 'face-expression'>;
  expressions: boolean;
}

/**
 * Describes one track: views (best first), age, gender and expression of the best view, its thumbnail and key frame.
 */
export async function describeTrack(
  id: number,
  track: EmbeddedTrack<CloseView>,
  { small, native, sizeOf, keeper, networks, expressions }: DescribeContext,
): Promise<FaceTrack> {
  const views = bestFirst(track);
  const best = bestSighting(track, sizeOf);
  const cutout = views[0]?.cutout ?? (await cutOut(native, best));
  const [attributes, expression, thumbnail, keyFrame] = await Promise.all([
    views.length > 0 ? attributesOf(cutout, networks) : null,
    views.length > 0 && expressions ? readExpression(networks['face-expression'], cutout) : null,
    keeper.thumbnail(id, thumbnailOf(cutout), THUMBNAIL_SIDE),
    keeper.keyFrame(best.index),
  ]);
  const place = (sighting: Sighting): { frame: number; time: number } => ({
    frame: frameAt(small, sighting.index).frame,
    time: rounded(sighting.time, 6),
  });
  return {
    id,
    sightings: track.sightings.map((sighting) => ({
      ...place(sighting),
      box: {
        x: rounded(sighting.x, 5),
        y: rounded(sighting.y, 5),
        w: rounded(sighting.w, 5),
        h: rounded(sighting.h, 5),
      },
      score: rounded(sighting.score, 4),
      size: rounded(sizeOf(sighting), 1),
    })),
    views: views.map((view) => ({
      ...place(view.sighting),
      embedding: encodeEmbedding(view.vector),
      ...(view.compared !== null && { compared: encodeEmbedding(view.compared) }),
      quality: rounded(view.quality, 4),
      sharpness: rounded(view.sharpness, 2),
      yaw: rounded(view.pose.yaw, 1),
      pitch: rounded(view.pose.pitch, 1),
      roll: rounded(view.pose.roll, 1),
      size: rounded(view.size, 1),
      eyes: rounded(view.openness.eyes, 3),
      mouth: rounded(view.openness.mouth, 3),
    })),
    age: attributes && rounded(attributes.age, 1),
    female: attributes && rounded(attributes.female, 4),
    ...(expression && { expression }),
    thumbnail,
    keyFrame: { frame: place(best).frame, picture: keyFrame },
  };
}

/** Returns the sighting of the best view, or the largest one where no view is evidence. */
export function bestSighting(track: EmbeddedTrack<CloseView>, sizeOf: (sighting: Sighting) => number): Sighting {
  const [best] = bestFirst(track);
  if (best !== undefined) return best.sighting;
  return track.sightings.reduce((largest, sighting) => (sizeOf(sighting) > sizeOf(largest) ? sighting : largest));
}

function bestFirst({ views }: EmbeddedTrack<CloseView>): CloseView[] {
  return [...views].sort((a, b) => b.quality - a.quality || a.sighting.index - b.sighting.index);
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
