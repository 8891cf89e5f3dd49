import {
  frameAt,
  type FramePack,
  type NetworkSession,
  type PixelBox,
  squareAround,
  wholePixels,
} from '@adit/inference';
import { detectObjects, type DetectedObject } from '../detection/detect-objects.js';
import { boxIn, type Sighting } from './sighting.js';

/** Label of people in the object detector. */
const PERSON = 'person';
/**
 * Least score of a person: the lowest of 450 faces has 0.35, the highest of 11 wheels, lamps, knobs and carvings 0.30
 * (README.md).
 */
const MIN_SCORE = 0.3;
/** Sides of the examined squares in sides of the face, the widest first, which finds most people. */
const SURROUNDINGS = [6, 3];
/** Downward shift of the squares as a fraction of their side, towards the body. */
const BELOW = 0.1;
/** Largest face side as a fraction of the picture's shorter side; larger faces leave no space for a body. */
const MAX_FACE_SHARE = 0.5;

/** Checks whether faces have a body. Each frame is analysed once. */
export class Bodies {
  private readonly frames = new Map<number, Promise<DetectedObject[]>>();

  /** `small` and `native` are the same frames in two sizes. */
  constructor(
    private readonly small: FramePack,
    private readonly native: FramePack,
    private readonly network: NetworkSession,
  ) {}

  /**
   * Returns true when a person is at the face, or when it cannot be checked: the face is too large, or the user's
   * network has no label for people.
   */
  async isSeen(face: Sighting): Promise<boolean> {
    if (!this.network.manifest.labels?.includes(PERSON)) return true;
    const frame = frameAt(this.native, face.index);
    const box = boxIn(frame, face);
    const side = Math.max(box.w, box.h);
    if (side > Math.min(frame.width, frame.height) * MAX_FACE_SHARE) return true;
    if (isOn(await this.inFrame(face.index), face.x + face.w / 2, face.y + face.h / 2)) return true;
    for (const sides of SURROUNDINGS) {
      const below = { ...box, y: box.y + side * sides * BELOW };
      if (await this.isAround(box, squareAround(below, sides), face.index)) return true;
    }
    return false;
  }

  private inFrame(index: number): Promise<DetectedObject[]> {
    const known = this.frames.get(index);
    if (known) return known;
    const found = this.small.withPicture(index, (picture) => detectObjects(picture, this.network, false));
    this.frames.set(index, found);
    return found;
  }

  private async isAround(box: PixelBox, square: PixelBox, index: number): Promise<boolean> {
    const region = wholePixels(square, frameAt(this.native, index));
    const { x, y, w, h } = region;
    const objects = await detectObjects(await this.native.region(index, region), this.network, false);
    return isOn(objects, (box.x + box.w / 2 - x) / w, (box.y + box.h / 2 - y) / h);
  }
}

/** Tests whether one of the objects is a person around a point, in fractions of the picture. */
function isOn(objects: readonly DetectedObject[], px: number, py: number): boolean {
  return objects.some(
    ({ label, score, x, y, w, h }) =>
      label === PERSON && score >= MIN_SCORE && x <= px && px <= x + w && y <= py && py <= y + h,
  );
}
