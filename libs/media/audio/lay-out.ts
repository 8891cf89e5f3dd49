import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { AditError } from '@adit/contracts';
import { isDiskFull } from '@adit/runtime';
import type { SoundPiece } from './sound-clock.js';

const BUFFER_BYTES = 1 << 20;

/**
 * Writes the decoded sound of `part` to `target`: each piece at its time, silence between them. The file appears
 * complete or not at all, and `part` may be renamed to it. Returns its bytes. Throws UNAVAILABLE when the disk is full.
 */
export async function layOut(
  part: string,
  pieces: readonly SoundPiece[],
  frameBytes: number,
  target: string,
): Promise<number> {
  const [first, last] = [pieces[0], pieces.at(-1)];
  const bytes = last === undefined ? 0 : (last.at + last.to - last.from) * frameBytes;
  if (pieces.length === 1 && first?.from === 0 && first.at === 0) {
    await rename(part, target);
    return bytes;
  }
  const laid = `${target}.laid`;
  try {
    await written(laid, async (to) => {
      if (pieces.length > 0) await copied(part, pieces, frameBytes, to);
    });
    await rename(laid, target);
    return bytes;
  } catch (error) {
    throw isDiskFull(error)
      ? new AditError('UNAVAILABLE', 'The disk that decoded media is written to is full.', { cause: error })
      : error;
  } finally {
    await rm(laid, { force: true });
  }
}

async function written(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'w');
  try {
    await write(file);
  } finally {
    await file.close();
  }
}

async function copied(part: string, pieces: readonly SoundPiece[], frameBytes: number, to: FileHandle): Promise<void> {
  const from = await open(part);
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  try {
    for (const piece of pieces) {
      const length = (piece.to - piece.from) * frameBytes;
      for (let done = 0; done < length;) {
        const wanted = Math.min(BUFFER_BYTES, length - done);
        const { bytesRead } = await from.read(buffer, 0, wanted, piece.from * frameBytes + done);
        if (bytesRead === 0) throw new AditError('INTERNAL', 'Decoded sound is shorter than it was.');
        // A range without a piece stays a hole in the sparse file, which reads as silence.
        const { bytesWritten } = await to.write(buffer, 0, bytesRead, piece.at * frameBytes + done);
        done += bytesWritten;
      }
    }
  } finally {
    await from.close();
  }
}
