import { elementAt } from '@adit/contracts';
import {
  boxMap,
  inputOf,
  type NetworkSession,
  outputNamed,
  type PixelBox,
  readFromPicture,
  type RgbImage,
  type ScoredBox,
} from '@adit/inference';

/**
 * Runs UltraFace (Linzaer, "Ultra-Light-Fast-Generic-Face-Detector-1MB", RFB-320) on one region of a picture. Returns
 * boxes in pixels of the picture, not yet suppressed, without those below `minScore`.
 */
export async function ultraface(
  network: NetworkSession,
  picture: RgbImage,
  region: PixelBox,
  minScore: number,
): Promise<ScoredBox[]> {
  const { width, height } = inputOf(network);
  return readFromPicture(network, picture, boxMap(region, width, height), (outputs) => {
    const scores = outputNamed(outputs, 'scores').data;
    const corners = outputNamed(outputs, 'boxes').data;
    const found: ScoredBox[] = [];
    for (let i = 0; i < scores.length / 2; i++) {
      // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- read for every anchor of every tile
      const score = scores[2 * i + 1]!;
      if (score < minScore) continue;
      const left = elementAt(corners, 4 * i) * region.w;
      const top = elementAt(corners, 4 * i + 1) * region.h;
      found.push({
        x: region.x + left,
        y: region.y + top,
        w: elementAt(corners, 4 * i + 2) * region.w - left,
        h: elementAt(corners, 4 * i + 3) * region.h - top,
        score,
      });
    }
    return found;
  });
}
