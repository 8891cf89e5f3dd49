import { keep, MAX_PARTS, tooManyParts, type Piece, type PictureFile, type PictureFormat } from './picture-format.js';

/** The first picture of a GIF; the others of an animation are not read. */
export const GIF: PictureFormat = {
  name: 'gif',
  title: 'GIF',
  sniffedAs: ['gif'],
  contentType: 'image/gif',
  extensions: ['.gif'],
  begins: (head) => /^GIF8[79]a/.test(head.toString('latin1', 0, 6)),
  bare: gifPieces,
  // The decoder keeps the canvas, and the picture before it is laid on the canvas.
  held: ({ width, height }) => width * height * 8,
};

/** Bytes of the header with the screen's description, and of a picture's description (GIF89a, 17, 18 and 20). */
const [HEADER_BYTES, DESCRIPTION_BYTES] = [13, 10];
const [EXTENSION, PICTURE, TRAILER] = [0x21, 0x2c, 0x3b];
/** Label of the extension that states the transparent colour. */
const CONTROL = 0xf9;
/** Bytes of the first picture that are kept where only the head is needed. */
const HEAD_BYTES = 64 << 10;

/** Keeps the screen, its colours and the first picture with its transparency. */
async function gifPieces(file: PictureFile, most: number): Promise<Piece[]> {
  const flags = (await file.from(0, HEADER_BYTES))[10] ?? 0;
  let at = HEADER_BYTES + tableBytes(flags);
  const kept: Piece[] = [];
  keep(kept, 0, Math.min(at, file.size));
  let control: { from: number; end: number } | null = null;
  const blocks = new DataBlocks(file);
  for (;;) {
    const head = await file.from(at, DESCRIPTION_BYTES);
    if (head[0] === EXTENSION) {
      const from = at;
      ({ end: at } = await blocks.from(from + 2, Infinity));
      if (head[1] === CONTROL) control = { from, end: at };
    } else if (head[0] === PICTURE) {
      // One byte in front of the data states the size of its codes.
      const data = at + DESCRIPTION_BYTES + tableBytes(head[9] ?? 0) + 1;
      const { end, ended } = await blocks.from(data, most === Infinity ? Infinity : HEAD_BYTES);
      if (control !== null) keep(kept, control.from, control.end);
      keep(kept, at, end);
      return ended ? [...kept, Buffer.from([0, TRAILER])] : kept;
    } else {
      // No picture; the decoder says so.
      keep(kept, at, file.size);
      return kept;
    }
  }
}

/** Returns the bytes of a table of colours by the flags of its owner. */
function tableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Passes over data, which comes in blocks of up to 255 bytes. */
class DataBlocks {
  private count = 0;

  constructor(private readonly file: PictureFile) {}

  /**
   * Returns the end of the data at `at`: behind at most `most` bytes and the block that they end in. `ended` is false
   * where the file ends within. Throws MEDIA_INVALID for too many blocks in one file.
   */
  async from(at: number, most: number): Promise<{ end: number; ended: boolean }> {
    const limit = at + most;
    for (let end = at; end < limit;) {
      if (this.count++ === MAX_PARTS) throw tooManyParts();
      const [length] = await this.file.from(end, 1);
      if (length === undefined) return { end: this.file.size, ended: false };
      if (length === 0) return { end: end + 1, ended: true };
      end += 1 + length;
      if (end >= limit && end < this.file.size) return { end, ended: true };
    }
    return { end: this.file.size, ended: false };
  }
}
