import { open, type FileHandle } from 'node:fs/promises';
import type { FilePart } from '../sandbox/ffmpeg-guard.js';

/** Page layout (RFC 3533, 6): the fixed part of the header, and the longest segment table. */
const HEADER_BYTES = 27;
const MAX_HEADER_BYTES = HEADER_BYTES + 255;
const FIRST_OF_STREAM = 2;
/** Bytes of a first packet that are enough to tell the rate. */
const ID_BYTES = 64;
/** Number of 20 ms pages in a day. */
const MAX_PAGES = 5_000_000;
/** Seconds: a first page that ends later belongs to a stream that was joined while it ran. */
const MAX_PAGE_SECONDS = 60;

interface Link {
  serial: number;
  /** Codec, rate and channels. */
  format: string;
  /** Granules per second, and the priming granules at the beginning. */
  rate: number;
  skipped: number;
  /** Offset of its first byte. */
  at: number;
  first: number | null;
  last: number;
}

export interface OggChain {
  seconds: number;
  /** Parts that cover the file, cut where the format changes: ffmpeg from 8 on reads no further than such a change. */
  parts: FilePart[];
}

/**
 * Reads an Ogg file of chained links, as radio servers write one for each title, each with its own clock and rate;
 * ffprobe reports at most the last one's. Returns null for a file that is not chained, or is damaged.
 */
export async function oggChain(path: string, signal?: AbortSignal): Promise<OggChain | null> {
  const file = await open(path);
  try {
    const links: Link[] = [];
    const header = Buffer.alloc(MAX_HEADER_BYTES + ID_BYTES);
    let isBeginning = true;
    let beginning = 0;
    let at = 0;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      signal?.throwIfAborted();
      const page = await pageAt(file, header, at);
      if (page === null) break;
      if (page.isFirst) {
        if (!isBeginning) beginning = at;
        const link = linkOf(page.serial, page.body, beginning);
        // Streams of one link begin together; the first audio stream counts.
        if (link !== null && links.at(-1)?.at !== beginning) links.push(link);
        isBeginning = true;
      } else {
        isBeginning = false;
        note(links.at(-1), page);
      }
      at += page.bytes;
    }
    if (links.length < 2) return null;
    const seconds = links.reduce((sum, link) => sum + secondsOf(link), 0);
    return { seconds, parts: partsOf(links, (await file.stat()).size) };
  } finally {
    await file.close();
  }
}

function partsOf(links: readonly Link[], size: number): FilePart[] {
  const starts = links.filter((link, i) => i > 0 && link.format !== links[i - 1]?.format).map(({ at }) => at);
  return [0, ...starts].map((from, i) => ({ from, to: starts[i] ?? size }));
}

interface Page {
  serial: number;
  granule: number;
  isFirst: boolean;
  bytes: number;
  body: Buffer;
}

async function pageAt(file: FileHandle, header: Buffer, at: number): Promise<Page | null> {
  const { bytesRead } = await file.read(header, 0, header.length, at);
  if (bytesRead < HEADER_BYTES || header.toString('latin1', 0, 4) !== 'OggS') return null;
  const bodyAt = HEADER_BYTES + header.readUInt8(26);
  if (bodyAt > bytesRead) return null;
  const size = header.subarray(HEADER_BYTES, bodyAt).reduce((sum, segment) => sum + segment, 0);
  return {
    serial: header.readUInt32LE(14),
    granule: Number(header.readBigInt64LE(6)),
    isFirst: (header.readUInt8(5) & FIRST_OF_STREAM) !== 0,
    bytes: bodyAt + size,
    body: header.subarray(bodyAt, Math.min(bytesRead, bodyAt + size)),
  };
}

/** Reads a link from the first packet of an audio stream; null for other streams. */
function linkOf(serial: number, packet: Buffer, at: number): Link | null {
  const format = formatOf(packet);
  if (format === null) return null;
  const { codec, rate, channels } = format;
  const skipped = codec === 'opus' ? packet.readUInt16LE(10) : 0;
  return { serial, format: `${codec} ${rate} ${channels}`, rate, skipped, at, first: null, last: 0 };
}

function formatOf(packet: Buffer): { codec: string; rate: number; channels: number } | null {
  const begins = (text: string): boolean => packet.toString('latin1', 0, text.length) === text;
  const known = (codec: string, rate: number, channels: number) => (rate > 0 ? { codec, rate, channels } : null);
  // RFC 7845: Opus granules count 48,000 per second, whatever the source rate.
  if (begins('OpusHead') && packet.length >= 19) return known('opus', 48_000, packet.readUInt8(9));
  if (begins('\x01vorbis') && packet.length >= 16) {
    return known('vorbis', packet.readUInt32LE(12), packet.readUInt8(11));
  }
  // STREAMINFO follows the marker, its length and that of the stream's own header: 20 bits of rate, 3 of channels.
  if (begins('\x7fFLAC') && packet.length >= 30) {
    return known('flac', packet.readUIntBE(27, 3) >> 4, (packet.readUInt8(29) >> 1) & 7);
  }
  if (begins('Speex   ') && packet.length >= 52) {
    return known('speex', packet.readUInt32LE(36), packet.readUInt32LE(48));
  }
  return null;
}

function note(link: Link | undefined, { serial, granule }: Page): void {
  // Header pages have granule 0; pages in which no packet ends have -1.
  if (link?.serial !== serial || granule <= 0) return;
  link.first ??= granule;
  link.last = Math.max(link.last, granule);
}

function secondsOf({ rate, skipped, first, last }: Link): number {
  const start = first !== null && first > MAX_PAGE_SECONDS * rate ? first : skipped;
  return Math.max(0, last - start) / rate;
}
