import { open, type FileHandle } from 'node:fs/promises';

/** Of a page (RFC 3533, 6): the fixed part of its header, and the longest table of segments. */
const HEADER_BYTES = 27;
const MAX_HEADER_BYTES = HEADER_BYTES + 255;
const FIRST_OF_STREAM = 2;
/** Of a first packet that tells the rate. */
const ID_BYTES = 64;
/** A day of pages of 20 ms each. */
const MAX_PAGES = 5_000_000;
/** Seconds: a first page that ends later is one of a stream that was joined while it ran. */
const LONGEST_PAGE_SECONDS = 60;

interface Link {
  serial: number;
  /** Granules a second, and those of its beginning that are not heard. */
  rate: number;
  skipped: number;
  first: number | null;
  last: number;
}

/**
 * Seconds of an Ogg file whose links follow each other (chained: a radio server writes one for each title), each with a clock and a
 * rate of its own; ffprobe knows the last one's at most. Null of a file that is not chained, or is damaged.
 */
export async function chainedSeconds(path: string, signal?: AbortSignal): Promise<number | null> {
  const file = await open(path);
  try {
    const links: Link[] = [];
    const header = Buffer.alloc(MAX_HEADER_BYTES + ID_BYTES);
    let isBeginning = true;
    let at = 0;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      signal?.throwIfAborted();
      const page = await pageAt(file, header, at);
      if (page === null) break;
      if (page.isFirst) {
        const link = linkOf(page.serial, page.body);
        // Streams of one link begin together; the first that is sound counts.
        if (link !== null && (links.length === 0 || !isBeginning)) links.push(link);
        isBeginning = true;
      } else {
        isBeginning = false;
        note(links.at(-1), page);
      }
      at += page.bytes;
    }
    return links.length < 2 ? null : links.reduce((sum, link) => sum + secondsOf(link), 0);
  } finally {
    await file.close();
  }
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

/** By the first packet of a stream of sound; null for others. */
function linkOf(serial: number, packet: Buffer): Link | null {
  const rate = rateOf(packet);
  if (rate === null) return null;
  const skipped = packet.toString('latin1', 0, 8) === 'OpusHead' ? packet.readUInt16LE(10) : 0;
  return { serial, rate, skipped, first: null, last: 0 };
}

function rateOf(packet: Buffer): number | null {
  const begins = (text: string): boolean => packet.toString('latin1', 0, text.length) === text;
  // RFC 7845: whatever was recorded, granules count 48,000 a second.
  if (begins('OpusHead') && packet.length >= 19) return 48_000;
  if (begins('\x01vorbis') && packet.length >= 16) return packet.readUInt32LE(12) || null;
  // STREAMINFO follows the marker, its length and that of the stream's own header.
  if (begins('\x7fFLAC') && packet.length >= 30) return packet.readUIntBE(27, 3) >> 4 || null;
  if (begins('Speex   ') && packet.length >= 40) return packet.readUInt32LE(36) || null;
  return null;
}

function note(link: Link | undefined, { serial, granule }: Page): void {
  // Pages of headers have 0, those in which no packet ends -1.
  if (link?.serial !== serial || granule <= 0) return;
  link.first ??= granule;
  link.last = Math.max(link.last, granule);
}

function secondsOf({ rate, skipped, first, last }: Link): number {
  const start = first !== null && first > LONGEST_PAGE_SECONDS * rate ? first : skipped;
  return Math.max(0, last - start) / rate;
}
