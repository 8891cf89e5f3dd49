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

/** What the detector of objects calls people. */
const PERSON = 'person';
/** Its score from which somebody is there: of 450 faces the least has 0.35, of 11 wheels, lamps, knobs and carvings the best 0.30 (README.md). */
const MIN_SCORE = 0.3;
/** Sides of the squares that are looked at around a face, in sides of the face, the widest first: it shows most people. */
const SURROUNDINGS = [6, 3];
/** How far those lie below the face, of their own side: where its body is. */
const BELOW = 0.1;
/** Of the picture's shorter side; a face that is larger leaves no room for a body. */
const MOST_OF_PICTURE = 0.5;

/** Says whose face has a body. Frames are looked at once, whoever is in them. */
export class Bodies {
  private readonly frames = new Map<number, Promise<DetectedObject[]>>();

  /** `small` and `native`: the same frames in two sizes. */
  constructor(
    private readonly small: FramePack,
    private readonly native: FramePack,
    private readonly network: NetworkSession,
  ) {}

  /** Whether a person is seen where the face is, or nobody can tell: the face is too large, or somebody's own network knows no people. */
  async isSeen(face: Sighting): Promise<boolean> {
    if (!this.network.manifest.labels?.includes(PERSON)) return true;
    const frame = frameAt(this.native, face.index);
    const box = boxIn(frame, face);
    const side = Math.max(box.w, box.h);
    if (side > Math.min(frame.width, frame.height) * MOST_OF_PICTURE) return true;
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
    const found = this.small.look(index, (picture) => detectObjects(picture, this.network, false));
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

/** Whether one of these is a person around a point, all in fractions of the picture. */
function isOn(objects: readonly DetectedObject[], px: number, py: number): boolean {
  return objects.some(
    ({ label, score, x, y, w, h }) =>
      label === PERSON && score >= MIN_SCORE && x <= px && px <= x + w && y <= py && py <= y + h,
  );
}
