import { crc32, deflateSync } from 'node:zlib';

/** A PNG chunk: length, type, content, checksum (PNG specification, 5.3). */
export function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(content.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

/**
 * A black PNG of one bit a pixel, which costs 1/8000 of what it unpacks to. With `rows` fewer than `height` it ends early,
 * so that any size up to 2³¹−1 can be claimed for nothing.
 */
export function blackPng(width: number, height: number, rows = height): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.alloc(rows * (1 + Math.ceil(width / 8))))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function jpegSegment(marker: number, ...content: number[]): Buffer {
  return Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255, ...content]);
}

/** A grey JPEG in CMYK as Adobe writes it (ITU T.81, baseline); `side` in pixels, a multiple of 8. */
export function cmykJpeg(side: number): Buffer {
  const components = [1, 2, 3, 4];
  const onlyZero = [1, ...Array<number>(15).fill(0), 0];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jpegSegment(0xee, ...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, 0),
    jpegSegment(0xdb, 0, ...Array<number>(64).fill(1)),
    jpegSegment(0xc0, 8, side >> 8, side & 255, side >> 8, side & 255, 4, ...components.flatMap((id) => [id, 0x11, 0])),
    // One code of one bit each: no difference, and the end of the block.
    jpegSegment(0xc4, 0x00, ...onlyZero),
    jpegSegment(0xc4, 0x10, ...onlyZero),
    jpegSegment(0xda, 4, ...components.flatMap((id) => [id, 0]), 0, 63, 0),
    // Two bits for each of the four components of each block.
    Buffer.alloc((side / 8) ** 2),
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** A JPEG with an Exif segment put in front that states this orientation (1..8 are legal). */
export function withOrientation(jpeg: Buffer, orientation: number): Buffer {
  const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1];
  const value = [orientation >> 8, orientation & 255, 0, 0, 0, 0, 0, 0];
  const exif = jpegSegment(0xe1, ...Buffer.from('Exif\0\0'), ...tiff, ...value);
  return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
}

/** The PNG with chunks put in behind its header. */
export function withPngChunks(png: Buffer, ...chunks: Buffer[]): Buffer {
  return Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]);
}
