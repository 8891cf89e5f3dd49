import {
  keep,
  MAX_PARTS,
  MAX_PROFILE_BYTES,
  tooManyParts,
  type Piece,
  type PictureFile,
  type PictureFormat,
} from './picture-format.js';

export const JPEG: PictureFormat = {
  name: 'jpeg',
  title: 'JPEG',
  sniffedAs: ['jpg'],
  contentType: 'image/jpeg',
  extensions: ['.jpg', '.jpeg'],
  begins: (head) => head.length > 4 && head.readUInt16BE(0) === 0xffd8,
  bare: jpegPieces,
  // A progressive picture takes two bytes per coefficient plus the decoder's own state, measured for 98 megapixels.
  held: ({ isProgressive, width, height, channels = 3, chromaSubsampling }) =>
    isProgressive ? width * height * (2 * (chromaSubsampling === '4:2:0' ? 1.5 : channels) + 0.5) : 0,
};

const EOI = 0xd9;
const SOS = 0xda;
const [APP0, APP1, APP2, APP14, APP15, COM] = [0xe0, 0xe1, 0xe2, 0xee, 0xef, 0xfe];

/** Returns the parts of a JPEG that a decoder needs, without application segments, comments and trailing data. */
async function jpegPieces(file: PictureFile): Promise<Piece[]> {
  const kept: Piece[] = [[0, 2]];
  let profile = 0;
  let exif = false;
  let at = 2;
  let parts = 0;
  for (; at + 4 <= file.size; parts++) {
    if (parts === MAX_PARTS) throw tooManyParts();
    const head = await file.from(at, 16);
    const marker = head.readUInt8(1);
    // Fill bytes and markers without a length do not belong here.
    if (head[0] !== 0xff || marker === 0xff || marker === 0 || (marker >= 0xd0 && marker <= 0xd9)) break;
    if (marker === SOS) break;
    const end = at + 2 + head.readUInt16BE(2);
    if (end > file.size) break;
    const name = head.toString('latin1', 4, Math.min(16, end - at));
    let wanted = marker !== COM && (marker < APP0 || marker > APP15);
    if (marker === APP0 || marker === APP14) wanted = true;
    if (marker === APP1 && name.startsWith('Exif\0') && !exif) wanted = exif = true;
    if (marker === APP2 && name.startsWith('ICC_PROFILE\0')) wanted = (profile += end - at) <= MAX_PROFILE_BYTES;
    if (wanted) keep(kept, at, end);
    at = end;
  }
  keep(kept, at, await endOfPicture(file, at, parts));
  return kept;
}

/** Returns the offset behind the end marker, where decoders stop reading; without a marker, the end of the file. */
async function endOfPicture(file: PictureFile, from: number, before: number): Promise<number> {
  let at = from;
  for (let parts = before; at < file.size;) {
    const bytes = await file.from(at, 2);
    if (bytes.length < 2) break;
    const marker = nextMarker(bytes);
    if (marker === null) {
      // The last byte may be the first half of a marker.
      at += bytes.length - 1;
      continue;
    }
    at += marker;
    if (bytes[marker + 1] === EOI) return at + 2;
    if (parts++ === MAX_PARTS) throw tooManyParts();
    const head = await file.from(at, 4);
    if (head.length < 4) break;
    // Tables and the next scan may hold any bytes.
    at += 2 + head.readUInt16BE(2);
  }
  return file.size;
}

/** Finds the marker that begins a segment or ends the picture; stuffed zeros and restarts belong to the data. */
function nextMarker(bytes: Buffer): number | null {
  for (let at = bytes.indexOf(0xff); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const code = bytes.readUInt8(at + 1);
    if (code >= 0xc0 && code !== 0xff && (code < 0xd0 || code > 0xd7)) return at;
  }
  return null;
}
