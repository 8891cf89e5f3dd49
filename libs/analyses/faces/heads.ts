import { frameAt, shareWithin, type FramePack, type PixelBox } from '@adit/inference';
import { boxIn, type Sighting } from './sighting.js';

/** Extent of a head beyond its face box, as a fraction of the box's longer side; includes ears and forehead. */
const BEYOND_FACE = 0.15;
/**
 * Share of a box within the head that makes it a part: true parts have at least two thirds, faces beside a larger one
 * at most a tenth (README.md).
 */
const MIN_SHARE = 0.4;

/** Finds false faces within the heads of certain ones, such as an ear or a forehead. */
export class Heads {
  private readonly faces = new Map<number, Sighting[]>();

  /** `native` are the frames of the sightings. */
  constructor(
    private readonly native: FramePack,
    sure: Iterable<Sighting>,
  ) {
    for (const face of sure) {
      const others = this.faces.get(face.index);
      if (others) others.push(face);
      else this.faces.set(face.index, [face]);
    }
  }

  /** Tests whether a face lies in the head of a larger one of the same frame. */
  hold(part: Sighting): boolean {
    const frame = frameAt(this.native, part.index);
    const box = boxIn(frame, part);
    return (this.faces.get(part.index) ?? []).some((face) => {
      const whole = boxIn(frame, face);
      return whole.w * whole.h > box.w * box.h && shareWithin(box, headOf(whole)) >= MIN_SHARE;
    });
  }
}

function headOf({ x, y, w, h }: PixelBox): PixelBox {
  const more = Math.max(w, h) * BEYOND_FACE;
  return { x: x - more, y: y - more, w: w + 2 * more, h: h + 2 * more };
}
