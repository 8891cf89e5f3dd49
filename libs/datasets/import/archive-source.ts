import { AditError, elementAt } from '@adit/contracts';
import { kindOf } from './file-kinds.js';
import type { FileTree, TreeFile } from './file-tree.js';
import { MAX_FILES, MAX_PICTURE_BYTES, type ImportSource } from './import-item.js';
import { isLitter, pathFault } from './path-faults.js';
import { StoredZip, type ZipMember } from './stored-zip.js';
import { treeSource } from './tree-source.js';

/** Limit of files and folders per archive, including ignored ones, and per nested archive. */
const MAX_ENTRIES = 2 * MAX_FILES;

/** Opens an archive anew, since each is read sequentially. */
export type OpenZip = () => Promise<StoredZip>;

/**
 * Pictures in a zip archive with a folder per class, or with a list of labels as tools export them; the archive may be
 * nested once. Throws MEDIA_INVALID for other archives, TOO_LARGE for too many files, or more than `most` bytes.
 */
export async function archiveSource(open: OpenZip, most: number): Promise<ImportSource> {
  const zip = await open();
  refuseEntries(zip.entries);
  const inner = await archiveIn(zip);
  if (inner === null) return treeSource(new ZipTree(open, zip.entries, most));
  const { read, size } = await zip.inner(inner);
  const openInner = () => StoredZip.open(read, size);
  const { entries } = await openInner().catch((error: unknown) => {
    if (!(error instanceof AditError) || error.code !== 'MEDIA_INVALID') throw error;
    throw new AditError('MEDIA_INVALID', `${inner.path}: ${error.message}`);
  });
  refuseEntries(zip.entries + entries);
  if ((await archiveIn(await openInner())) !== null) {
    throw new AditError('MEDIA_INVALID', 'It is an archive in an archive in an archive: upload the innermost one.');
  }
  return treeSource(new ZipTree(openInner, entries, most));
}

/** Returns the only archive in one that contains nothing else but documents. Throws MEDIA_INVALID for several. */
async function archiveIn(zip: StoredZip): Promise<ZipMember | null> {
  const archives: ZipMember[] = [];
  for await (const member of zip.members()) {
    const kind = isLitter(member.path) ? 'document' : kindOf(member.path);
    if (kind === 'archive') archives.push(member);
    else if (kind !== 'document') return null;
  }
  if (archives.length > 1) {
    const names = archives.slice(0, 3).map(({ path }) => path);
    throw new AditError(
      'MEDIA_INVALID',
      `It holds ${archives.length} archives (${names.join(', ')} …): import each by itself.`,
    );
  }
  return archives.length === 0 ? null : elementAt(archives, 0);
}

class ZipTree implements FileTree {
  readonly what = 'the archive';

  constructor(
    private readonly open: OpenZip,
    readonly end: number,
    private readonly most: number,
  ) {}

  refuseMore(files: number, bytes: number): void {
    if (files > MAX_FILES) throw tooLarge(`The archive has more than ${MAX_FILES} files: import it in parts.`);
    if (bytes <= this.most) return;
    throw tooLarge(`The archive unpacks to more than the ${this.most} bytes that may be stored.`);
  }

  async *files(after: number): AsyncGenerator<TreeFile> {
    const zip = await this.open();
    for await (const member of zip.members()) {
      const { index, path, entry } = member;
      if (index <= after || isLitter(path)) continue;
      const read = (most: number) => zip.read(member, most);
      yield {
        ...{ cursor: index, path, name: path, size: entry.uncompressedSize, fault: pathFault(path), read },
        picture: { filename: path.slice(path.lastIndexOf('/') + 1), read: () => read(MAX_PICTURE_BYTES) },
      };
    }
  }
}

function refuseEntries(entries: number): void {
  if (entries > MAX_ENTRIES) throw tooLarge(`The archive has more than ${MAX_ENTRIES} files and folders.`);
}

function tooLarge(message: string): AditError {
  return new AditError('TOO_LARGE', message);
}
