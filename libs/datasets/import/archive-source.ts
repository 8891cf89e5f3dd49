import { AditError } from '@adit/contracts';
import { inTurns } from '@adit/runtime';
import type { StoredZip, ZipMember } from './stored-zip.js';
import { MOST_FILES, MOST_PICTURE_BYTES, type ImportItem, type ImportSource } from './import-item.js';
import { isManifest, readManifest } from './archive-lists.js';
import { MOST_MANIFEST_BYTES, type Manifest } from './manifest.js';
import { byFolder, isLitter, OuterFolder, pathFault } from './pictures-in-folders.js';

/** Files and folders of one archive, litter and all. */
const MOST_ENTRIES = 2 * MOST_FILES;

/** Opens an archive anew: each is read through once. */
export type OpenZip = () => Promise<StoredZip>;

/**
 * Pictures in a zip archive with a folder for each class, which may lie in one more folder; or an exported dataset, whose
 * manifest says what the folders do not. Throws MEDIA_INVALID for what is no such archive, TOO_LARGE for one with too much in
 * it: files, or more than `most` bytes.
 */
export async function archiveSource(open: OpenZip, most: number): Promise<ImportSource> {
  const zip = await open();
  if (zip.entries > MOST_ENTRIES) throw tooLarge(`The archive has more than ${MOST_ENTRIES} files and folders.`);
  const outer = new OuterFolder();
  const there = new Set<string>();
  let described: ZipMember | null = null;
  let bytes = 0;
  for await (const member of zip.members()) {
    if (isLitter(member.path)) continue;
    if (isManifest(member.path)) {
      described ??= member;
      continue;
    }
    outer.note(member.path);
    there.add(member.path);
    bytes += member.entry.uncompressedSize;
    if (there.size > MOST_FILES) throw tooLarge(`The archive has more than ${MOST_FILES} files: import it in parts.`);
    if (bytes > most) throw tooLarge(`The archive unpacks to more than the ${most} bytes that may be stored.`);
  }
  if (described !== null) {
    const manifest = await readManifest(described.path, await zip.read(described, MOST_MANIFEST_BYTES));
    const missing = await inTurns(missingOf(manifest, there));
    return new ArchiveSource(open, there.size, '', manifest, missing);
  }
  if (there.size === 0) throw new AditError('MEDIA_INVALID', 'There is no picture in the archive.');
  return new ArchiveSource(open, there.size, outer.path, null, []);
}

/** Pictures that the list names, and that are not there. */
function* missingOf({ images }: Manifest, there: ReadonlySet<string>): Generator<void, string[]> {
  const missing: string[] = [];
  for (const path of images.keys()) {
    if (!there.has(path)) missing.push(path);
    yield;
  }
  return missing;
}

class ArchiveSource implements ImportSource {
  readonly files: number;

  constructor(
    private readonly open: OpenZip,
    inArchive: number,
    private readonly outer: string,
    private readonly manifest: Manifest | null,
    private readonly missing: readonly string[],
  ) {
    this.files = inArchive + missing.length;
  }

  get classes() {
    return this.manifest?.classes ?? [];
  }

  get type() {
    return this.manifest?.type ?? null;
  }

  /** A cursor is the place of a file in the archive; behind those come the files that are missing in it. */
  async *items(cursor: string | null): AsyncGenerator<ImportItem> {
    const after = cursor === null ? -1 : Number(cursor);
    const zip = await this.open();
    for await (const member of zip.members()) {
      const { index, path } = member;
      if (index <= after || isLitter(path) || isManifest(path)) continue;
      const read = () => zip.read(member, MOST_PICTURE_BYTES);
      yield { cursor: String(index), name: path, what: this.what(path, read) };
    }
    for (const [at, path] of this.missing.entries()) {
      const index = zip.entries + at;
      if (index <= after) continue;
      const fault = { code: 'missing', message: 'It is not in the archive, though its list names it.' };
      yield { cursor: String(index), name: path, what: { fault } };
    }
  }

  private what(path: string, read: () => Promise<Buffer>): ImportItem['what'] {
    const fault = pathFault(path);
    if (fault !== null) return { fault };
    const inside = path.slice(this.outer.length);
    const said = this.manifest === null ? byFolder(inside) : this.listed(this.manifest, path);
    return 'fault' in said ? said : { ...said, file: { filename: path.slice(path.lastIndexOf('/') + 1), read } };
  }

  private listed({ images }: Manifest, path: string) {
    const fault = { code: 'not_listed', message: 'The list of the archive does not name it.' };
    return images.get(path) ?? { fault };
  }
}

function tooLarge(message: string): AditError {
  return new AditError('TOO_LARGE', message);
}
