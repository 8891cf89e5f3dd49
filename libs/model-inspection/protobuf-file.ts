import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { AditError } from '@adit/contracts';

/** Bytes that are read from the disk at once. */
const WINDOW_BYTES = 256 * 1024;

/** A field of a message: the position of its content in the file, or its number. */
export interface FileField {
  number: number;
  wire: 'varint' | 'fixed64' | 'bytes' | 'fixed32';
  /** A varint as int64, so that −1 is −1; exact up to 2⁵³. */
  value: number;
  /** Content of `bytes`, `fixed32` and `fixed64`, as offsets in the file. */
  start: number;
  end: number;
}

/**
 * A protobuf message in a file, read through a moving window of 256 KiB that skips unneeded content such as gigabytes
 * of weights. The wire format is https://protobuf.dev/programming-guides/encoding/. Reading is synchronous, so use it
 * in a separate process. An invalid message throws VALIDATION with the place.
 */
export class ProtobufFile {
  readonly size: number;
  private readonly descriptor: number;
  private readonly window = Buffer.allocUnsafe(WINDOW_BYTES);
  private windowStart = 0;
  private windowEnd = 0;
  private at = 0;

  constructor(path: string) {
    try {
      // Opened non-blocking, since a pipe would wait for a writer.
      this.descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new AditError('VALIDATION', `${path} cannot be read: ${reason}.`, { cause: error });
    }
    const stats = fstatSync(this.descriptor);
    this.size = stats.size;
    if (stats.isFile()) return;
    this.close();
    throw new AditError('VALIDATION', `${path} cannot be read: it is no file.`);
  }

  close(): void {
    closeSync(this.descriptor);
  }

  /** Yields the fields between two offsets, in order; a caller may read elsewhere in between. */
  *fields(start = 0, end = this.size): Generator<FileField> {
    let next = start;
    while (next < end) {
      this.at = next;
      const key = this.varint(end);
      const number = Math.floor(key / 8);
      if (key < 8 || number > 536_870_911) throw malformed(next, `a field has the number ${number}`);
      const field: FileField = { number, wire: 'bytes', value: 0, start: this.at, end: this.at };
      switch (key % 8) {
        case 0:
          field.wire = 'varint';
          field.value = this.varint(end);
          field.end = this.at;
          break;
        case 1:
          field.wire = 'fixed64';
          field.end = this.at + 8;
          break;
        case 2: {
          const length = this.varint(end);
          field.start = this.at;
          field.end = this.at + length;
          if (length < 0) throw malformed(next, 'a field has a negative length');
          break;
        }
        case 5:
          field.wire = 'fixed32';
          field.end = this.at + 4;
          break;
        default:
          throw malformed(next, `there is no wire type ${key % 8}`);
      }
      if (field.end > end) throw malformed(next, 'a field ends behind its message');
      next = field.end;
      yield field;
    }
  }

  /** Returns the content. Throws VALIDATION above `maxBytes`. */
  bytes({ start, end }: { start: number; end: number }, maxBytes: number, what: string): Buffer {
    if (end - start > maxBytes) {
      throw new AditError('VALIDATION', `The file has ${what} of ${end - start} bytes; at most ${maxBytes} are read.`);
    }
    const content = Buffer.allocUnsafe(end - start);
    this.readInto(content, start);
    return content;
  }

  text(field: { start: number; end: number }, maxBytes: number, what: string): string {
    return this.bytes(field, maxBytes, what).toString('utf8');
  }

  /**
   * Yields the content in pieces of at most 256 KiB, each a multiple of 8 bytes except for the last; a piece is valid
   * until the next.
   */
  *pieces({ start, end }: { start: number; end: number }): Generator<Buffer> {
    const piece = Buffer.allocUnsafe(Math.min(WINDOW_BYTES, end - start));
    for (let at = start; at < end; at += WINDOW_BYTES) {
      const part = piece.subarray(0, Math.min(WINDOW_BYTES, end - at));
      this.readInto(part, at);
      yield part;
    }
  }

  /** Numbers of a repeated field: one as a varint, or many packed. */
  *integers(field: FileField): Generator<number> {
    if (field.wire === 'varint') {
      yield field.value;
      return;
    }
    if (field.wire !== 'bytes') throw malformed(field.start, 'a whole number is not written as one');
    let at = field.start;
    while (at < field.end) {
      this.at = at;
      const value = this.varint(field.end);
      at = this.at;
      yield value;
    }
  }

  private varint(end: number): number {
    const start = this.at;
    let low = 0;
    let high = 0n;
    let factor = 1;
    for (let index = 0; ; index++) {
      if (this.at >= end) throw malformed(start, 'a number is cut short');
      if (index === 10) throw malformed(start, 'a number is longer than ten bytes');
      const byte = this.byte();
      if (index < 7) low += (byte & 127) * factor;
      else high |= BigInt(byte & 127) << BigInt(7 * index);
      factor *= 128;
      if (byte < 128) return high === 0n ? low : Number(BigInt.asIntN(64, high | BigInt(low)));
    }
  }

  private byte(): number {
    if (this.at < this.windowStart || this.at >= this.windowEnd) {
      this.windowStart = this.at;
      this.windowEnd = this.at + readSync(this.descriptor, this.window, 0, WINDOW_BYTES, this.at);
      if (this.windowEnd === this.windowStart) throw malformed(this.at, 'the file ends');
    }
    return this.window.readUInt8(this.at++ - this.windowStart);
  }

  private readInto(target: Buffer, start: number): void {
    for (let done = 0; done < target.length;) {
      const read = readSync(this.descriptor, target, done, target.length - done, start + done);
      if (read === 0) throw malformed(start + done, 'the file ends');
      done += read;
    }
  }
}

function malformed(at: number, what: string): AditError {
  return new AditError('VALIDATION', `It is not an ONNX file, or was cut short in transfer: ${what} at byte ${at}.`);
}
