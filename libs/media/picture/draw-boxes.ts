import type { Box } from '@adit/contracts';
import type { RgbImage } from './decode-jpeg.js';
import { rawPicture } from './picture.js';

/** Colours that can be told apart on most pictures. */
const COLOURS = ['#ff3b30', '#34c759', '#0a84ff', '#ffcc00', '#ff2d92', '#00c7be'];

/** Encodes a picture as JPEG with a frame around each box; boxes are fractions of the picture, colours repeat. */
export async function drawBoxes(image: RgbImage, boxes: readonly Box[]): Promise<Buffer> {
  const { width, height } = image;
  const stroke = Math.max(2, Math.round(Math.min(width, height) / 200));
  const frames = boxes.map(({ x, y, w, h }, index) => {
    const [left, top, across, down] = [x * width, y * height, w * width, h * height];
    const colour = COLOURS[index % COLOURS.length];
    return `<rect x="${left}" y="${top}" width="${across}" height="${down}" fill="none" stroke="${colour}" stroke-width="${stroke}"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${frames.join('')}</svg>`;
  const picture = await rawPicture(image);
  return picture
    .composite([{ input: Buffer.from(svg) }])
    .jpeg({ quality: 90 })
    .toBuffer();
}
