import { AditError } from '@adit/contracts';

/** A request or response of RTSP 1.0 (RFC 2326). */
export interface RtspMessage {
  /** First line. */
  start: string;
  /** In order; names in lower case. */
  headers: [name: string, value: string][];
  body: Buffer;
}

/** Part of a connection's bytes: a message, or RTP or RTCP of one channel between messages. */
export type RtspPart = { message: RtspMessage } | { channel: number; payload: Buffer };

const MAX_HEAD_BYTES = 32 << 10;
const MAX_HEADERS = 100;
/** A description of many tracks takes a few kilobytes. */
const MAX_BODY_BYTES = 256 << 10;
const DOLLAR = 0x24;

/** Splits the bytes of an RTSP connection into messages and interleaved packets. Throws SOURCE_REFUSED for anything else. */
export class RtspReader {
  private held: Buffer = Buffer.alloc(0);
  /** Pieces behind `held`, joined once there are `wanted` bytes in all: a body may come byte by byte. */
  private pieces: Buffer[] = [];
  private bytes = 0;
  private wanted = 1;
  /** Bytes of `held` that hold no end of a head, so that none is searched twice. */
  private searched = 0;

  *add(piece: Buffer): Generator<RtspPart> {
    this.pieces.push(piece);
    this.bytes += piece.length;
    if (this.bytes < this.wanted) return;
    this.held = Buffer.concat([this.held, ...this.pieces.splice(0)]);
    let part: RtspPart | null;
    do {
      this.wanted = 0;
      part = this.next();
      if (part !== null) yield part;
    } while (part !== null);
    this.bytes = this.held.length;
    this.wanted = Math.max(this.wanted, this.bytes + 1);
  }

  private next(): RtspPart | null {
    this.skipLineBreaks();
    if (this.held.length === 0) return null;
    return this.held[0] === DOLLAR ? this.nextPacket() : this.nextMessage();
  }

  /** Some servers send an empty line between messages. */
  private skipLineBreaks(): void {
    let from = 0;
    while (this.held[from] === 13 || this.held[from] === 10) from++;
    if (from > 0) this.held = this.held.subarray(from);
  }

  private nextPacket(): RtspPart | null {
    if (this.held.length < 4) return null;
    const end = 4 + this.held.readUInt16BE(2);
    if (this.held.length < end) return this.need(end);
    const part = { channel: this.held.readUInt8(1), payload: this.held.subarray(4, end) };
    this.held = this.held.subarray(end);
    return part;
  }

  private need(bytes: number): null {
    this.wanted = bytes;
    return null;
  }

  private nextMessage(): RtspPart | null {
    const end = this.held.indexOf('\r\n\r\n', Math.max(0, this.searched - 3));
    this.searched = this.held.length;
    if (Math.max(end, end < 0 ? this.held.length : 0) > MAX_HEAD_BYTES) throw malformed('a head is too long');
    if (end < 0) return null;
    const [start = '', ...lines] = this.held.toString('latin1', 0, end).split('\r\n');
    if (!/^[!-~]+ [ -~]+$/.test(start)) throw malformed('it does not speak RTSP');
    const headers = headersOf(lines);
    const length = Number(headers.find(([name]) => name === 'content-length')?.[1] ?? 0);
    if (!Number.isInteger(length) || length < 0 || length > MAX_BODY_BYTES) throw malformed('a body is too long');
    if (this.held.length < end + 4 + length) {
      this.searched = 0;
      return this.need(end + 4 + length);
    }
    const body = this.held.subarray(end + 4, end + 4 + length);
    this.held = this.held.subarray(end + 4 + length);
    this.searched = 0;
    return { message: { start, headers, body } };
  }
}

export function headerOf({ headers }: RtspMessage, name: string): string | null {
  return headers.find(([each]) => each === name)?.[1] ?? null;
}

/** Writes a message. Values must not hold line breaks, which `RtspReader` never yields. */
export function writeMessage(start: string, headers: Iterable<readonly [string, string]>, body?: Buffer): Buffer {
  const lines = [start, ...[...headers].map(([name, value]) => `${name}: ${value}`)];
  if (body !== undefined && body.length > 0) lines.push(`Content-Length: ${body.length}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return body === undefined ? head : Buffer.concat([head, body]);
}

/** Frames a packet for an RTSP connection. */
export function interleaved(channel: number, payload: Buffer): Buffer {
  const head = Buffer.from([DOLLAR, channel, payload.length >> 8, payload.length & 255]);
  return Buffer.concat([head, payload]);
}

function headersOf(lines: string[]): [string, string][] {
  if (lines.length > MAX_HEADERS) throw malformed('it sends too many headers');
  return lines.map((line) => {
    const at = line.indexOf(':');
    const value = line.slice(at + 1).trim();
    // eslint-disable-next-line no-control-regex -- a lone line break could begin another header
    if (at < 1 || /[\x00-\x08\x0a-\x1f\x7f]/.test(line)) throw malformed('a header cannot be read');
    return [line.slice(0, at).trim().toLowerCase(), value];
  });
}

function malformed(reason: string): AditError {
  return new AditError('SOURCE_REFUSED', `The server of the stream does not follow RTSP: ${reason}.`);
}
