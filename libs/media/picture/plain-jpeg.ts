import { openPicture, pictureMetadata } from './picture.js';
import { isSrgbProfile } from './srgb-profile.js';

/**
 * Returns the compressed picture of a JPEG file without its metadata, when re-encoding would give the same: baseline, 8
 * bit, three components, sRGB, upright, `size` pixels, and complete. Returns null when the picture has to be encoded
 * anew. Throws libvips' error for a damaged picture.
 * @param whole the caller has already decoded the file to its end.
 */
export async function plainJpeg(
  file: Buffer,
  size: { width: number; height: number },
  options: { maxPixels: number; whole: boolean },
): Promise<Buffer | null> {
  const jpeg = bareJpeg(file, size);
  if (jpeg === null) return null;
  const { format, orientation = 1, space, channels, icc } = await pictureMetadata(file, options.maxPixels);
  if (format !== 'jpeg' || orientation !== 1 || space !== 'srgb' || channels !== 3) return null;
  if (icc !== undefined && !isSrgbProfile(icc)) return null;
  if (!options.whole) {
    // Shrinking on load reads every bit and computes little.
    const [width, height] = [Math.ceil(size.width / 8), Math.ceil(size.height / 8)];
    const picture = await openPicture(jpeg, options.maxPixels);
    await picture.resize({ width, height, fit: 'fill' }).raw().toBuffer();
  }
  return jpeg;
}

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const DQT = 0xdb;
const DRI = 0xdd;
const DHT = 0xc4;
const SOF0 = 0xc0;
const SOF1 = 0xc1;
const APP0 = 0xe0;
const APP14 = 0xee;
const COM = 0xfe;

/**
 * Returns only the segments that a decoder needs, up to the end of the picture (ITU-T T.81, annex B): no EXIF, colour
 * profile, comments or appended films. Null for any but the simplest kind of JPEG.
 */
export function bareJpeg(file: Buffer, size: { width: number; height: number }): Buffer | null {
  if (file.length < 4 || file[0] !== 0xff || file[1] !== SOI) return null;
  const parts = [file.subarray(0, 2)];
  let at = 2;
  let framed = false;
  while (at + 4 <= file.length) {
    if (file[at] !== 0xff) return null;
    const marker = file.readUInt8(at + 1);
    if (marker === EOI) break;
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (end > file.length) return null;
    const body = file.subarray(at + 4, end);
    if (marker === SOF0 || marker === SOF1) {
      if (framed || body.length < 6 || body[0] !== 8 || body[5] !== 3) return null;
      if (body.readUInt16BE(1) !== size.height || body.readUInt16BE(3) !== size.width) return null;
      framed = true;
    } else if (marker === APP14) {
      // libvips handles anything but YCbCr.
      if (body.subarray(0, 5).toString('latin1') === 'Adobe' && body[11] !== 1) return null;
    } else if (marker === SOS) {
      const scan = endOfScan(file, end);
      if (!framed || scan === null) return null;
      parts.push(file.subarray(at, scan));
      at = scan;
      continue;
    }
    if ([SOF0, SOF1, DQT, DRI, DHT, APP0, APP14].includes(marker)) parts.push(file.subarray(at, end));
    else if (marker !== COM && (marker < APP0 || marker > 0xef)) return null;
    at = end;
  }
  if (!framed || file[at] !== 0xff || file[at + 1] !== EOI) return null;
  return Buffer.concat([...parts, file.subarray(at, at + 2)]);
}

/** Returns the offset of the marker after compressed data; stuffed zeros and restart markers belong to the data. */
function endOfScan(file: Buffer, start: number): number | null {
  for (let at = file.indexOf(0xff, start); at >= 0 && at + 1 < file.length; at = file.indexOf(0xff, at)) {
    const next = file.readUInt8(at + 1);
    if (next === 0 || (next >= 0xd0 && next <= 0xd7)) at += 2;
    else if (next === 0xff) at += 1;
    else return at;
  }
  return null;
}
