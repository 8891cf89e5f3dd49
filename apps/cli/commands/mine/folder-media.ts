import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { AditError, errorCode, nullIfNoFile } from '@adit/contracts';
import { ACCEPTED_MEDIA, sniffMedia } from '@adit/media';

/** Sources of one kind can share a job. */
export type SourceKind = 'pictures' | 'documents' | 'films' | 'recordings' | 'streams';

interface FoundFile {
  file: string;
  kind: SourceKind;
}

/** A file that is not mined, and the reason. */
export interface LeftOut {
  source: string;
  why: string;
}

/** Folders below the one that was given, and files in all of them. */
const MAX_DEPTH = 16;
const MAX_FILES = 10_000;

/**
 * The media in a folder and those below it, by path. Hidden files are passed over, and links that lead out of the folder are not
 * followed. Throws SOURCE_REFUSED for a folder that is too large to be meant.
 *
 * @param root its real path
 * @param bounds for the specs
 */
export async function mediaBelow(
  root: string,
  bounds = { depth: MAX_DEPTH, files: MAX_FILES },
): Promise<{ found: FoundFile[]; leftOut: LeftOut[] }> {
  const found: FoundFile[] = [];
  const leftOut: LeftOut[] = [];
  const seen = new Set([root]);
  const visit = async (path: string, depth: number): Promise<void> => {
    const leaveOut = (why: string) => void leftOut.push({ source: path, why });
    const real = await realpath(path).catch(nullIfNoFile);
    if (real === null) return leaveOut('a link to nothing');
    if (!isWithin(root, real)) return leaveOut('a link out of the folder');
    // The target of the link lies there itself, too.
    if (seen.has(real)) return;
    seen.add(real);
    if (seen.size > bounds.files + 1) {
      throw new AditError(
        'SOURCE_REFUSED',
        `${root} has more than ${bounds.files} files in it: name folders below it.`,
      );
    }
    const entry = await stat(real);
    if (entry.isDirectory() && depth === bounds.depth) leaveOut(`more than ${depth} folders deep`);
    else if (entry.isDirectory()) await scan(real, depth + 1);
    else if (!entry.isFile()) leaveOut('no file');
    else {
      const kind = await kindOf(real);
      if (kind === null) leaveOut('no media');
      else found.push({ file: real, kind });
    }
  };
  const scan = async (folder: string, depth: number): Promise<void> => {
    for (const name of (await readdir(folder)).sort()) {
      if (name.startsWith('.')) continue;
      const path = join(folder, name);
      // One that another user owns, or on a bad disk, keeps nobody from the others.
      await visit(path, depth).catch((error: unknown) => {
        const code = systemCodeOf(error);
        if (code === null) throw error;
        leftOut.push({ source: path, why: `cannot be read: ${code}` });
      });
    }
  };
  await scan(root, 0);
  return { found, leftOut };
}

/** Returns the system's code, such as EACCES; null for an error of ours. */
function systemCodeOf(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'syscall' in error ? (errorCode(error) ?? null) : null;
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

/** Returns the kind of a file that was named itself. Throws SOURCE_REFUSED for other files than media. */
export async function kindOfNamed(file: string, given: string): Promise<SourceKind> {
  const kind = await kindOf(file);
  if (kind === null)
    throw new AditError('SOURCE_REFUSED', `${given} is no picture, document, film or recording. ${ACCEPTED_MEDIA}`);
  return kind;
}

async function kindOf(file: string): Promise<SourceKind | null> {
  const { kind } = await sniffMedia(file).catch((error: unknown) => {
    // A file that is refused for its content is no media; one that cannot be read is a problem to report.
    if (error instanceof AditError && error.code === 'MEDIA_INVALID') return { kind: 'unknown' as const };
    throw error;
  });
  switch (kind) {
    case 'image':
      return 'pictures';
    case 'pdf':
      return 'documents';
    case 'audio':
      return 'recordings';
    case 'video':
      return 'films';
    case 'unknown':
      return null;
  }
}
