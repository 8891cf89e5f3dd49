import type { Readable } from 'node:stream';
import type { MinioConfig } from './config.js';

/** An object that others have put somewhere, under a name of theirs. */
export interface ForeignObject {
  /** Below the place's prefix; anything at all. */
  name: string;
  /** Bytes. */
  size: number;
  /** Another one when its bytes are others. */
  tag: string;
  modified: Date;
}

/** Objects of other people, to be read only. Their names are untrusted: check a name before anything is made of it. */
export interface ForeignObjects {
  /** All of them. Throws UNAVAILABLE. */
  list(): AsyncIterable<ForeignObject>;
  /** Throws NOT_FOUND, UNAVAILABLE. */
  get(name: string): Promise<Readable>;
  close(): void;
}

/** Connection settings of an S3-compatible server. */
export type ForeignServer = Omit<MinioConfig, 'driver' | 'bucket' | 'prefix' | 'manageBucket' | 'connectSeconds'>;
