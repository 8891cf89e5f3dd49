import { frameAt, shareWithin, type FramePack, type PixelBox } from '@adit/inference';
import { boxIn, type Sighting } from './sighting.js';

/** How far a head reaches beyond the box of its face, of the box's longer side: ears and forehead are within. */
const BEYOND_FACE = 0.15;
/** Of what is a part of a head at least two thirds lie within; of faces beside a larger one at most a tenth (README.md). */
const MIN_SHARE = 0.4;

/** Says what lies in the heads of faces that are ones for sure: an ear or a forehead that was taken for a face of its own. */
export class Heads {
  private readonly faces = new Map<number, Sighting[]>();

  /** `native`: the frames that the sightings are of. */
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

  /** Whether a face lies in the head of a larger one of the same frame. */
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
