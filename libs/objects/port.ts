import type { Readable } from 'node:stream';

export interface ObjectInfo {
  key: string;
  /** Bytes. */
  size: number;
  modified: Date;
}

/** Bytes `start` to `end`, both inclusive, as in an HTTP Range. */
export interface ByteRange {
  start: number;
  end?: number;
}

export interface PutOptions {
  /** False for what can be made again: it may be gone after a loss of power, but is never there in part. Default true. */
  durable?: boolean;
}

/**
 * Store of bytes: media, frame packs, observations, thumbnails, artifacts. Keys are `/`-separated segments of
 * `[A-Za-z0-9._-]` (at most 250), at most 512 characters, never `.` or `..`; another key is a VALIDATION error.
 */
export interface ObjectStore {
  /** Replaces the object in one step: a reader sees the old bytes or the new ones, never a part. */
  put(key: string, body: Uint8Array | Readable, options?: PutOptions): Promise<ObjectInfo>;
  /** Throws NOT_FOUND before the first byte; RANGE_NOT_SATISFIABLE when the range starts past the end. */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** The whole object, or a range of it, in memory. */
  read(key: string, range?: ByteRange): Promise<Buffer>;
  stat(key: string): Promise<ObjectInfo | null>;
  /** Objects whose key starts with the prefix, in key order. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /**
   * Nobody finds it when this resolves; removing what is not there is not an error. False when the store keeps its bytes all the
   * same, because they are locked: asked again after that, it removes them.
   */
  delete(key: string): Promise<boolean>;
  /** The same of all objects whose key starts with the prefix. */
  deletePrefix(prefix: string): Promise<boolean>;
  ping(): Promise<void>;
}

/** Injection token of the process's object store. */
export const OBJECT_STORE = Symbol('ObjectStore');
