import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AditError, keysOf } from '@adit/contracts';
import { ACCEPTED_MEDIA, isPictureName, sniffMedia } from '@adit/media';
import { sourceName } from '@adit/module-kit';

/** Sources that can share a job: pictures are one job, films (and sound) another. */
export interface SourceGroup {
  kind: 'pictures' | 'films';
  sources: string[];
}

interface PlannedSources {
  groups: SourceGroup[];
  /** Folders the engine has to be allowed to read. */
  localRoots: string[];
}

/**
 * Turns what stands on the command line into jobs: files become absolute paths, folders the media in them, addresses
 * stay. Throws SOURCE_REFUSED naming the first that does not exist or is no media.
 */
export async function planSources(given: readonly string[]): Promise<PlannedSources> {
  const groups: Record<SourceGroup['kind'], string[]> = { pictures: [], films: [] };
  const roots = new Set<string>();
  for (const source of given) {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) {
      groups[isPictureName(source) ? 'pictures' : 'films'].push(source);
      continue;
    }
    for (const path of await mediaAt(source)) {
      groups[path.kind].push(path.file);
      roots.add(dirname(path.file));
    }
  }
  return {
    groups: keysOf(groups)
      .map((kind) => ({ kind, sources: groups[kind] }))
      .filter(({ sources }) => sources.length > 0),
    localRoots: [...roots],
  };
}

/** A short name for the folder of results: of the file, or how many there are. */
export function nameOf({ kind, sources }: SourceGroup): string {
  const [first = kind] = sources;
  if (sources.length > 1) return `${sources.length}-${kind}`;
  return sourceName(first) || kind;
}

async function mediaAt(source: string): Promise<{ file: string; kind: SourceGroup['kind'] }[]> {
  const file = await realpath(resolve(source)).catch(() => {
    throw new AditError('SOURCE_REFUSED', `There is no file ${source}.`);
  });
  if (!(await stat(file)).isDirectory()) {
    const kind = await kindOf(file);
    if (kind === null)
      throw new AditError('SOURCE_REFUSED', `${source} is no picture or film that can be mined. ${ACCEPTED_MEDIA}`);
    return [{ file, kind }];
  }
  const found = [];
  for (const entry of (await readdir(file, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue;
    const kind = await kindOf(join(file, entry.name));
    if (kind !== null) found.push({ file: join(file, entry.name), kind });
  }
  if (found.length === 0) throw new AditError('SOURCE_REFUSED', `The folder ${source} has no pictures or films in it.`);
  return found;
}

async function kindOf(file: string): Promise<SourceGroup['kind'] | null> {
  const { kind } = await sniffMedia(file).catch((error: unknown) => {
    // What is refused for its content is no media; what cannot be read is a problem to hear of.
    if (error instanceof AditError && error.code === 'MEDIA_INVALID') return { kind: 'unknown' as const };
    throw error;
  });
  if (kind === 'image') return 'pictures';
  return kind === 'unknown' ? null : 'films';
}
