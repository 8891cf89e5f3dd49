import type { ImportFault, PictureFile } from './import-item.js';

/** A file of an archive, or of a folder of the storage. */
export interface TreeFile {
  /** Numbers in the tree's order. */
  cursor: number;
  /** Path within the tree, separated by slashes. */
  path: string;
  /** Name for the client. */
  name: string;
  /** In bytes. */
  size: number;
  /** Reason why it must not be there. */
  fault: ImportFault | null;
  picture: PictureFile;
  /** Throws MEDIA_INVALID for one of more than `most` bytes, or that cannot be read. */
  read(most: number): Promise<Buffer>;
}

/** Source of pictures and lists. */
export interface FileTree {
  /** Name in messages. */
  what: string;
  /** Yields files behind a cursor, in order, without system files. */
  files(after: number): AsyncIterable<TreeFile>;
  /** Greater than every cursor. */
  end: number;
  /** Throws TOO_LARGE beyond the limits of files, or of bytes of pictures, per import. */
  refuseMore(files: number, bytes: number): void;
}
