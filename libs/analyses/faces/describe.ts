import type { PictureRef } from '@adit/contracts';
import type { AnalysisContext, FramePack } from '@adit/inference';
import { encodeEmbedding } from './embedding.js';
import type { EmbeddedTrack } from './join.js';
import { attributesOf, cutOut, thumbnailOf, type CloseView } from './look-closer.js';
import type { FaceTrack } from './observations.js';
import type { Sighting } from './track.js';

/** Longest sides of what is kept, in pixels. */
const KEY_FRAME_SIDE = 640;
const THUMBNAIL_SIDE = 160;

/** Keeps thumbnails, and each key frame once however many tracks share it. */
export class PictureKeeper {
  private readonly keyFrames = new Map<number, Promise<PictureRef>>();

  constructor(
    private readonly keep: AnalysisContext<unknown>['keepPicture'],
    private readonly pack: FramePack,
  ) {}

  thumbnail(track: number, image: ReturnType<typeof thumbnailOf>): Promise<PictureRef> {
    return this.keep(`track-${track}`, image, { maxSide: THUMBNAIL_SIDE });
  }

  keyFrame(index: number): Promise<PictureRef> {
    const known = this.keyFrames.get(index);
    if (known) return known;
    const frame = this.pack.frames[index]!.frame;
    const kept = this.pack
      .picture(index)
      .then((picture) => this.keep(`frame-${frame}`, picture, { maxSide: KEY_FRAME_SIDE }));
    this.keyFrames.set(index, kept);
    return kept;
  }
}

export interface DescribeContext {
  small: FramePack;
  native: FramePack;
  sizeOf: (sighting: Sighting) => number;
  keeper: PictureKeeper;
  networks: AnalysisContext<unknown>['networks'];
}

/** Writes down one track: views best first, age and gender of the best view, its thumbnail and key frame. */
export async function describeTrack(
  id: number,
  track: EmbeddedTrack<CloseView>,
  { small, native, sizeOf, keeper, networks }: DescribeContext,
): Promise<FaceTrack> {
  const views = [...track.views].sort((a, b) => b.quality - a.quality || a.sighting.index - b.sighting.index);
  const best = views[0]?.sighting ?? largest(track.sightings, sizeOf);
  const cutout = views[0]?.cutout ?? (await cutOut(native, best));
  const [attributes, thumbnail, keyFrame] = await Promise.all([
    views.length > 0 ? attributesOf(cutout, networks) : null,
    keeper.thumbnail(id, thumbnailOf(cutout)),
    keeper.keyFrame(best.index),
  ]);
  const place = (sighting: Sighting): { frame: number; time: number } => ({
    frame: small.frames[sighting.index]!.frame,
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
      quality: rounded(view.quality, 4),
      sharpness: rounded(view.sharpness, 2),
      yaw: rounded(view.pose.yaw, 1),
      pitch: rounded(view.pose.pitch, 1),
      roll: rounded(view.pose.roll, 1),
      size: rounded(view.size, 1),
    })),
    age: attributes && rounded(attributes.age, 1),
    female: attributes && rounded(attributes.female, 4),
    thumbnail,
    keyFrame: { frame: place(best).frame, picture: keyFrame },
  };
}

function largest(sightings: readonly Sighting[], sizeOf: (sighting: Sighting) => number): Sighting {
  return sightings.reduce((best, sighting) => (sizeOf(sighting) > sizeOf(best) ? sighting : best));
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
