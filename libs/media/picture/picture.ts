import type { Metadata, Sharp, SharpOptions } from 'sharp';
import { AditError, errorCode } from '@adit/contracts';
import { barePicture } from './bare-picture.js';
import type { RgbImage } from './decode-jpeg.js';
import { withEndMark } from '../formats/pictures/jpeg-end.js';
import { sharp } from './sharp.js';
import { isSrgbProfile } from './srgb-profile.js';

/** 100 megapixels: above every camera in common use, and 300 MB decoded. */
export const DEFAULT_MAX_PIXELS = 100_000_000;

/**
 * Encodes pixels as JPEG, for thumbnails and key frames.
 * @param maxSide longest side in pixels after scaling; never enlarged.
 * @param quality 1..100, default 85.
 */
export async function encodeJpeg(
  image: RgbImage,
  options: { maxSide?: number; quality?: number } = {},
): Promise<{ data: Buffer; width: number; height: number }> {
  let pipeline = await rawPicture(image);
  const { maxSide } = options;
  if (maxSide !== undefined && maxSide < Math.max(image.width, image.height)) {
    pipeline = pipeline.resize({ width: maxSide, height: maxSide, fit: 'inside' });
  }
  const { data, info } = await pipeline.jpeg({ quality: options.quality ?? 85 }).toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/**
 * Decodes a picture's file to sRGB pixels as displayed: EXIF orientation applied, transparency over white, CMYK, grey
 * and 16 bit converted. Throws MEDIA_INVALID for an unreadable picture or one above `maxPixels`.
 */
export async function decodeImageFile(input: string | Buffer, options: { maxPixels?: number } = {}): Promise<RgbImage> {
  try {
    const picture = await openPicture(input, options.maxPixels);
    const { data, info } = await picture.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height };
  } catch (error) {
    throw unreadable(error);
  }
}

/** Bytes at the beginning of a bare picture: twice the largest profile and other data in front of the pixels. */
const HEAD_BYTES = 8 << 20;

/** Reads a picture's metadata without its pixels; takes little memory, whatever the file's size. */
export async function pictureMetadata(input: string | Buffer, maxPixels?: number): Promise<Metadata> {
  const open = await sharp();
  return open(await barePicture(input, HEAD_BYTES), openingOf(maxPixels)).metadata();
}

/** Returns the displayed size of a picture in pixels. Throws MEDIA_INVALID. */
export async function displayedSize(input: string | Buffer): Promise<{ width: number; height: number }> {
  const { width, height } = (await pictureMetadata(input).catch((error: unknown) => Promise.reject(unreadable(error))))
    .autoOrient;
  return { width, height };
}

/** Returns a sharp pipeline of the displayed picture in 8-bit sRGB without alpha. */
export async function openPicture(input: string | Buffer, maxPixels?: number): Promise<Sharp> {
  const file = await barePicture(input);
  const ended = withEndMark(file);
  const bare = ended ?? file;
  const open = await sharp();
  const { icc } = await open(bare, openingOf(maxPixels)).metadata();
  // Converting sRGB to sRGB would take three quarters of the decoding time.
  const ignoreIcc = icc !== undefined && isSrgbProfile(icc);
  return open(bare, { ...openingOf(maxPixels), ignoreIcc, failOn: ended === null ? 'error' : 'warning' })
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb');
}

function openingOf(maxPixels: number = DEFAULT_MAX_PIXELS): SharpOptions {
  return { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true, animated: false };
}

/** Returns a sharp pipeline of decoded pixels. */
export async function rawPicture({ data, width, height }: RgbImage): Promise<Sharp> {
  const open = await sharp();
  return open(data, { raw: { width, height, channels: 3 } });
}

/**
 * Turns an error of libvips into MEDIA_INVALID, with its reason in one line or `message`. A lack of resources, such as
 * open files, is not the picture's fault and keeps its own code.
 */
export function unreadable(error: unknown, message?: string): AditError {
  if (error instanceof AditError || /^E[A-Z]+$/.test(errorCode(error) ?? '')) return AditError.from(error);
  const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  return new AditError('MEDIA_INVALID', message ?? `The image cannot be decoded: ${reason}.`, { cause: error });
}
