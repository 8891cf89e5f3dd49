import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { named } from './filesystem-faults.js';

/** The bytes `start` to `end` (inclusive) of a file, which is closed with the stream; errors of the file are `named`. */
export function fileStream(file: FileHandle, { start, end }: { start: number; end: number }): Readable {
  let at = start;
  return new Readable({
    highWaterMark: 1 << 16,
    read(size) {
      const length = Math.min(size, end + 1 - at);
      if (length <= 0) {
        this.push(null);
        return;
      }
      named(() => file.read(Buffer.allocUnsafeSlow(length), 0, length, at)).then(
        ({ bytesRead, buffer }) => {
          at += bytesRead;
          // A file that became shorter ends where it ends.
          this.push(bytesRead === 0 ? null : buffer.subarray(0, bytesRead));
        },
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      file.close().then(
        () => done(error),
        (cause: Error) => done(error ?? cause),
      );
    },
  });
}
