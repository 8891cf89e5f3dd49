// Pictures for networks: wide, tall and small, as PNG, so that no JPEG decoder counts.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import sharp from 'sharp';

const demo = join(dirname(createRequire(import.meta.url).resolve('@vladmandic/face-api/package.json')), 'demo');

/** Writes them into the folder; answers their paths in the order of their names, which is that of Python too. */
export async function writePictures(folder) {
  const pictures = [
    ['1-wide.png', sharp(join(demo, 'sample1.jpg')).resize({ width: 512 })],
    ['2-tall.png', sharp(join(demo, 'sample4.jpg')).resize(300, 429, { fit: 'cover' })],
    ['3-small.png', sharp(join(demo, 'sample5.jpg')).resize({ width: 201 })],
  ];
  for (const [name, picture] of pictures) await picture.png().toFile(join(folder, name));
  return pictures.map(([name]) => join(folder, name));
}
