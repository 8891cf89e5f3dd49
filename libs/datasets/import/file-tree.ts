import type { ImportFault, PictureFile } from './import-item.js';

/** A file of an archive, or of a folder of the storage. */
export interface TreeFile {
  /** Numbers in the tree's order. */
  cursor: number;
  /** Within the tree, parts split by slashes. */
  path: string;
  /** What the client calls it. */
  name: string;
  /** Bytes. */
  size: number;
  /** Why it may not be there at all. */
  fault: ImportFault | null;
  picture: PictureFile;
  /** Throws MEDIA_INVALID for one of more than `most` bytes, or that cannot be read. */
  read(most: number): Promise<Buffer>;
}

/** Where pictures, and lists of them, lie. */
export interface FileTree {
  /** What messages call it. */
  what: string;
  /** Files behind a cursor, in order, without what systems leave there. */
  files(after: number): AsyncIterable<TreeFile>;
  /** Greater than every cursor. */
  end: number;
  /** Throws TOO_LARGE for more files, or more bytes of pictures, than one import takes. */
  refuseMore(files: number, bytes: number): void;
}
