import type { LiveRun } from '../live-run.js';

/** Finds where a reader that comes later may begin to read a run. It sees all of its bytes. */
export interface RunEntry {
  /**
   * Takes the next bytes of the run. With `isWanted` it returns what a new reader gets: the header of the run, and these
   * bytes from a place where it can begin; null where they have none.
   */
  take(bytes: Buffer, isWanted: boolean): Buffer | null;
}

/** Bytes of a header; a run with a longer one can be read from its beginning alone. */
const MAX_HEADER_BYTES = 4 << 20;
/** Startcode of a syncpoint of NUT, behind which a reader knows all times. */
const SYNCPOINT = Buffer.from('4e4be4adeeca4569', 'hex');
/** Size and type of a box of MP4; one of more than 4 GiB has its size behind them. */
const [BOX_BYTES, LONG_BOX_BYTES] = [8, 16];

/** A reader looks for the packets of a transport stream, and its tables are repeated; packed sound is frame by frame. */
const anywhere = (): RunEntry => ({ take: (bytes, isWanted) => (isWanted ? bytes : null) });

const ENTRIES: Record<LiveRun['container'], () => RunEntry> = {
  ...{ mpegts: anywhere, aac: anywhere, mp3: anywhere, ac3: anywhere, eac3: anywhere },
  nut: () => new NutEntry(),
  mp4: () => new Mp4Entry(),
};

export function openEntry(container: LiveRun['container']): RunEntry {
  return ENTRIES[container]();
}

/** First bytes of a run; null once they are too many. */
class Header {
  bytes: Buffer | null = Buffer.alloc(0);

  add(bytes: Buffer): void {
    if (this.bytes === null) return;
    this.bytes = this.bytes.length + bytes.length > MAX_HEADER_BYTES ? null : Buffer.concat([this.bytes, bytes]);
  }
}

class NutEntry implements RunEntry {
  private readonly header = new Header();
  private isBegun = false;
  /** The last bytes, in which a startcode may have begun. */
  private tail = Buffer.alloc(0);

  take(bytes: Buffer, isWanted: boolean): Buffer | null {
    if (this.isBegun && !isWanted) {
      this.tail = lastOf(bytes);
      return null;
    }
    const all = Buffer.concat([this.tail, bytes]);
    const at = all.indexOf(SYNCPOINT);
    if (!this.isBegun) this.header.add(at < 0 ? all.subarray(0, -lastOf(all).length) : all.subarray(0, at));
    this.isBegun ||= at >= 0;
    this.tail = lastOf(all);
    const { bytes: header } = this.header;
    return at < 0 || !isWanted || header === null ? null : Buffer.concat([header, all.subarray(at)]);
  }
}

function lastOf(bytes: Buffer): Buffer<ArrayBuffer> {
  return Buffer.from(bytes.subarray(Math.max(bytes.length - SYNCPOINT.length + 1, 0)));
}

class Mp4Entry implements RunEntry {
  private readonly header = new Header();
  /** Bytes that are left of the box in hand. */
  private left = 0;
  private isHeader = false;
  /** The beginning of a box whose size is not known yet. */
  private begun = Buffer.alloc(0);

  take(bytes: Buffer, isWanted: boolean): Buffer | null {
    let entry: Buffer | null = null;
    let rest = bytes;
    while (rest.length > 0) {
      if (this.left > 0) {
        const part = rest.subarray(0, Math.min(this.left, rest.length));
        if (this.isHeader) this.header.add(part);
        this.left -= part.length;
        rest = rest.subarray(part.length);
        continue;
      }
      const all = Buffer.concat([this.begun, rest]);
      const box = boxOf(all);
      this.begun = box === null ? all : Buffer.alloc(0);
      if (box === null) break;
      this.left = box.size;
      this.isHeader = box.type === 'ftyp' || box.type === 'moov';
      const { bytes: header } = this.header;
      if (isWanted && box.type === 'moof' && header !== null) entry ??= Buffer.concat([header, all]);
      rest = all;
    }
    return entry;
  }
}

/** Reads the head of a box; null while too little of it is there. One without a size reaches to the end. */
function boxOf(bytes: Buffer): { type: string; size: number } | null {
  if (bytes.length < BOX_BYTES) return null;
  const type = bytes.toString('latin1', 4, BOX_BYTES);
  const size = bytes.readUInt32BE(0);
  if (size !== 1) return { type, size: size < BOX_BYTES ? Infinity : size };
  return bytes.length < LONG_BOX_BYTES ? null : { type, size: Number(bytes.readBigUInt64BE(BOX_BYTES)) };
}
