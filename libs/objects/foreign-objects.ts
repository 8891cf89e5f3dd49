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

/** What others keep somewhere, to be read only: names are theirs, so nothing may be made of one that was not looked at. */
export interface ForeignObjects {
  /** All of them. Throws UNAVAILABLE. */
  list(): AsyncIterable<ForeignObject>;
  /** Throws NOT_FOUND, UNAVAILABLE. */
  get(name: string): Promise<Readable>;
  close(): void;
}

/** How a server of buckets is spoken to. */
export type ForeignServer = Omit<MinioConfig, 'driver' | 'bucket' | 'prefix' | 'manageBucket' | 'connectSeconds'>;
