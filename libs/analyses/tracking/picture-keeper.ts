import type { PictureRef } from '@adit/contracts';
import { frameAt, type AnalysisContext, type FramePack, type RgbImage } from '@adit/inference';

/** Longest sides of stored pictures, in pixels. */
const KEY_FRAME_SIDE = 640;
const THUMBNAIL_SIDE = 160;

/** Stores thumbnails, and each key frame once for all tracks that share it. */
export class PictureKeeper {
  private readonly keyFrames = new Map<number, Promise<PictureRef>>();

  constructor(
    private readonly keep: AnalysisContext<unknown>['keepPicture'],
    private readonly pack: FramePack,
  ) {}

  thumbnail(track: number, image: RgbImage, maxSide = THUMBNAIL_SIDE): Promise<PictureRef> {
    return this.keep(`track-${track}`, image, { maxSide });
  }

  keyFrame(index: number): Promise<PictureRef> {
    const known = this.keyFrames.get(index);
    if (known) return known;
    const { frame } = frameAt(this.pack, index);
    const kept = this.keepFrame(index, `frame-${frame}`);
    this.keyFrames.set(index, kept);
    return kept;
  }

  private keepFrame(index: number, name: string): Promise<PictureRef> {
    return this.pack.withPicture(index, (picture) => this.keep(name, picture, { maxSide: KEY_FRAME_SIDE }));
  }
}
