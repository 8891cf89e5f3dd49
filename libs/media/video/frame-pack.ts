import { AditError, DECODER_VERSION, PackedFrame } from '@adit/contracts';
import { z } from 'zod';
import { freeArray } from '../free-array.js';
import { JPEGS } from '../picture/jpeg-thread.js';
import { decodeJpeg, type RgbImage } from '../picture/decode-jpeg.js';

export type { RgbImage } from '../picture/decode-jpeg.js';

/** The frames of one spec for one unit, decoded one at a time so that memory stays flat. */
export interface FramePack {
  readonly frames: readonly PackedFrame[];
  /** DECODER_VERSION of the process that made it. */
  readonly decoder: number;
  /**
   * Decodes picture `index` (0-based in `frames`) and lends it to `use`. Its memory is freed when all borrowers have
   * finished, so no reference to the pixels may outlive `use`. Other callers share the pixels: do not write to them.
   */
  withPicture<Seen>(index: number, use: (picture: RgbImage) => Seen | Promise<Seen>): Promise<Seen>;
  /** Returns the picture for keeping; its memory is left to the garbage collector. */
  picture(index: number): Promise<RgbImage>;
  /** Cuts a region of picture `index`, in pixels of that picture, clamped to it. */
  region(index: number, box: { x: number; y: number; w: number; h: number }): Promise<RgbImage>;
}

/** Returns the entry of picture `index` of a pack. Throws a RangeError when the pack has no such picture. */
export function frameAt(pack: Pick<FramePack, 'frames'>, index: number): PackedFrame {
  const frame = pack.frames[index];
  if (!frame) throw new RangeError(`Picture ${index} of a pack of ${pack.frames.length}.`);
  return frame;
}

/** Reads bytes `start` to `endInclusive` of a pack; may return fewer at its end. */
export type ReadRange = (start: number, endInclusive: number) => Promise<Buffer>;

// Container: "ADFP", u16 version, u16 reserved, u32 header bytes, u32 frames, header JSON, JPEGs end to end.
const MAGIC = 0x41444650;
const VERSION = 1;
const PREFIX_BYTES = 16;
/** One read of this length covers the header of any chunk at ordinary rates. */
const FIRST_READ = 32 << 10;
const MAX_HEADER = 64 << 20;
/** Decoded pictures that are kept, since an analysis may compare neighbours. */
const MAX_RECENT = 2;

interface PackHeader {
  frames: PackedFrame[];
  /** Byte length of each JPEG. */
  lengths: number[];
  /** Defaults to 1, since the first builds omitted it. */
  decoder?: number;
}

/** Writes a pack; `jpegs[i]` is the picture of `frames[i]`. */
export function packFrames(
  frames: readonly PackedFrame[],
  jpegs: readonly Uint8Array[],
  decoder: number = DECODER_VERSION,
): Buffer {
  if (frames.length !== jpegs.length) {
    throw new RangeError(`${frames.length} frames, but ${jpegs.length} pictures.`);
  }
  const header = Buffer.from(
    JSON.stringify({
      frames: [...frames],
      lengths: jpegs.map((jpeg) => jpeg.length),
      decoder,
    } satisfies PackHeader),
  );
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(MAGIC, 0);
  prefix.writeUInt16BE(VERSION, 4);
  prefix.writeUInt32BE(header.length, 8);
  prefix.writeUInt32BE(frames.length, 12);
  return Buffer.concat([prefix, header, ...jpegs]);
}

/**
 * Opens a pack by reading its header; a picture's bytes are read on request. The last decoded pictures are kept, so
 * that several regions of a frame cost one decode. Throws MEDIA_INVALID when the bytes are no frame pack.
 */
export async function openFramePack(read: ReadRange): Promise<FramePack> {
  let head = await read(0, FIRST_READ - 1);
  if (head.length < PREFIX_BYTES || head.readUInt32BE(0) !== MAGIC) throw broken('it has no frame pack header');
  if (head.readUInt16BE(4) !== VERSION) throw broken(`version ${head.readUInt16BE(4)} is not known`);
  const headerBytes = head.readUInt32BE(8);
  if (headerBytes > MAX_HEADER) throw broken('its header is too long');
  const picturesAt = PREFIX_BYTES + headerBytes;
  if (head.length < picturesAt) {
    if (head.length < FIRST_READ) throw broken('it is cut short');
    head = Buffer.concat([head, await read(head.length, picturesAt - 1)]);
    if (head.length < picturesAt) throw broken('it is cut short');
  }
  const { frames, lengths, decoder } = parseHeader(head.subarray(PREFIX_BYTES, picturesAt));
  const offsets: number[] = [];
  let offset = picturesAt;
  for (const length of lengths) {
    offsets.push(offset);
    offset += length;
  }
  return new OpenFramePack(read, frames, decoder ?? 1, offsets, lengths);
}

/** Opens a pack that is already in memory. */
export function openFramePackBuffer(pack: Buffer): Promise<FramePack> {
  return openFramePack((start, end) => Promise.resolve(pack.subarray(start, end + 1)));
}

/** Cuts `box` (pixels, rounded) out of an image, clamped to it and never smaller than one pixel. */
export function cropRgb(image: RgbImage, box: { x: number; y: number; w: number; h: number }): RgbImage {
  const left = clamp(Math.round(box.x), 0, image.width - 1);
  const top = clamp(Math.round(box.y), 0, image.height - 1);
  const right = clamp(Math.round(box.x + box.w), left + 1, image.width);
  const bottom = clamp(Math.round(box.y + box.h), top + 1, image.height);
  const width = right - left;
  const height = bottom - top;
  const data = new Uint8Array(width * height * 3);
  for (let row = 0; row < height; row++) {
    const from = ((top + row) * image.width + left) * 3;
    data.set(image.data.subarray(from, from + width * 3), row * width * 3);
  }
  return { data, width, height };
}

/** A picture that is decoded or being decoded. */
interface Opened {
  picture: Promise<RgbImage>;
  /** Number of current borrowers. */
  users: number;
  isRecent: boolean;
  /** Somebody keeps the pixels. */
  isKept: boolean;
}

class OpenFramePack implements FramePack {
  /** Most recently used last. */
  private readonly recent = new Map<number, Opened>();

  constructor(
    private readonly read: ReadRange,
    readonly frames: readonly PackedFrame[],
    readonly decoder: number,
    private readonly offsets: readonly number[],
    private readonly lengths: readonly number[],
  ) {}

  async withPicture<Seen>(index: number, use: (picture: RgbImage) => Seen | Promise<Seen>): Promise<Seen> {
    const opened = this.open(index);
    opened.users += 1;
    try {
      return await use(await opened.picture);
    } finally {
      opened.users -= 1;
      giveBack(opened);
    }
  }

  picture(index: number): Promise<RgbImage> {
    const opened = this.open(index);
    opened.isKept = true;
    return opened.picture;
  }

  region(index: number, box: { x: number; y: number; w: number; h: number }): Promise<RgbImage> {
    return this.withPicture(index, (picture) => cropRgb(picture, box));
  }

  private open(index: number): Opened {
    const known = this.recent.get(index);
    this.recent.delete(index);
    const opened = known ?? { picture: this.decode(index), users: 0, isRecent: true, isKept: false };
    this.recent.set(index, opened);
    if (!known) {
      opened.picture.catch(() => {
        if (this.recent.get(index) === opened) this.recent.delete(index);
      });
    }
    for (const [place, oldest] of this.recent) {
      if (this.recent.size <= MAX_RECENT) break;
      this.recent.delete(place);
      oldest.isRecent = false;
      giveBack(oldest);
    }
    return opened;
  }

  private async decode(index: number): Promise<RgbImage> {
    const offset = this.offsets[index];
    const length = this.lengths[index];
    if (offset === undefined || length === undefined) {
      throw new RangeError(`Picture ${index} of a pack of ${this.frames.length}.`);
    }
    const jpeg = await this.read(offset, offset + length - 1);
    if (jpeg.length !== length) throw broken('it is cut short');
    // A single photo is not worth a thread.
    return this.frames.length > 1 ? JPEGS.decode(jpeg) : decodeJpeg(jpeg);
  }
}

function giveBack({ picture, users, isRecent, isKept }: Opened): void {
  if (users > 0 || isRecent || isKept) return;
  void picture.then(
    ({ data }) => freeArray(data),
    () => undefined,
  );
}

const Lengths = z.array(z.int().positive());

function parseHeader(json: Buffer): PackHeader {
  try {
    const header: Record<keyof PackHeader, unknown> = JSON.parse(json.toString('utf8'));
    const frames = PackedFrame.array().parse(header.frames);
    const lengths = Lengths.parse(header.lengths);
    if (lengths.length !== frames.length) throw new RangeError('lengths and frames differ');
    return { frames, lengths, decoder: Number(header.decoder ?? 1) };
  } catch (error) {
    throw new AditError('MEDIA_INVALID', 'Not a frame pack: its header does not parse.', { cause: error });
  }
}

function broken(reason: string): AditError {
  return new AditError('MEDIA_INVALID', `Not a frame pack: ${reason}.`);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
