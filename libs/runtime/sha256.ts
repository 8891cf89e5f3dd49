import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AditError, type ErrorCode } from '@adit/contracts';

/** SHA-256 of bytes, in hexadecimal. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** SHA-256 of a file, which is read piece by piece. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Passes a stream on and digests it on the way. */
export class Sha256Stream extends Transform {
  private readonly hash = createHash('sha256');

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.hash.update(chunk);
    done(null, chunk);
  }

  /** The digest of a stream that has ended, in hexadecimal. */
  digest(): string {
    return this.hash.digest('hex');
  }
}

export interface Sha256Check {
  /** The file, for the message. */
  name: string;
  found: string;
  expected: string;
  code: ErrorCode;
  /** A sentence about why, or what to do. */
  hint?: string;
}

/** Throws when a file is not the one that is expected. */
export function checkSha256({ name, found, expected, code, hint }: Sha256Check): void {
  if (found === expected) return;
  const message = `${name} has SHA-256 ${found}, not ${expected}.`;
  throw new AditError(code, hint === undefined ? message : `${message} ${hint}`);
}
