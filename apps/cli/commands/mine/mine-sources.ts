import { realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { AditError, elementAt, errorCode } from '@adit/contracts';
import { isPictureName, liveProtocol, shownAddress } from '@adit/media';
import { sourceName } from '@adit/module-kit';
import { kindOfNamed, mediaBelow, type LeftOut, type SourceKind } from './folder-media.js';

/** Sources that share a job. */
export interface SourceGroup {
  kind: SourceKind;
  sources: string[];
}

interface PlannedSources {
  groups: SourceGroup[];
  /** Folders the engine has to be allowed to read. */
  localRoots: string[];
  /** Files in folders that are no media, or are not followed. */
  leftOut: LeftOut[];
}

const KINDS: readonly SourceKind[] = ['pictures', 'documents', 'films', 'recordings', 'streams'];

/**
 * Turns what stands on the command line into jobs: files become absolute paths, folders the media in them and below, addresses
 * stay. Throws VALIDATION for a live stream beside other sources, SOURCE_REFUSED naming the first that does not exist or is no media.
 */
export async function planSources(given: readonly string[]): Promise<PlannedSources> {
  const groups = new Map<SourceKind, Set<string>>(KINDS.map((kind) => [kind, new Set()]));
  const add = (kind: SourceKind, source: string) => groups.get(kind)?.add(source);
  const roots = new Set<string>();
  const leftOut: LeftOut[] = [];
  for (const source of given) {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) {
      add(kindOfAddress(source), source);
      continue;
    }
    const path = await realpath(resolve(source)).catch((error: unknown) => {
      if (errorCode(error) === 'EACCES') throw error;
      throw new AditError('SOURCE_REFUSED', `There is no file ${source}.`);
    });
    if (!(await stat(path)).isDirectory()) {
      add(await kindOfNamed(path, source), path);
      roots.add(dirname(path));
      continue;
    }
    const below = await mediaBelow(path);
    if (below.found.length === 0)
      throw new AditError(
        'SOURCE_REFUSED',
        `The folder ${source} has no pictures, documents, films or recordings in it.`,
      );
    for (const { kind, file } of below.found) add(kind, file);
    leftOut.push(...below.leftOut);
    roots.add(path);
  }
  if ((groups.get('streams')?.size ?? 0) > 0 && given.length > 1) {
    throw new AditError('VALIDATION', 'A live stream has no end to wait for: mine it by itself.');
  }
  return {
    groups: [...groups]
      .map(([kind, sources]) => ({ kind, sources: [...sources] }))
      .filter(({ sources }) => sources.length > 0),
    localRoots: [...roots],
    leftOut,
  };
}

/** By its name: nobody has looked at it yet. */
function kindOfAddress(address: string): SourceKind {
  if (liveProtocol(address) !== null) return 'streams';
  if (isPictureName(address)) return 'pictures';
  return /\.pdf$/i.test(address.replace(/[?#].*$/, '')) ? 'documents' : 'films';
}

/** A short name for the folder of results: of the file, or how many there are. */
export function nameOf({ kind, sources }: SourceGroup): string {
  if (sources.length > 1) return `${sources.length}-${kind}`;
  const source = elementAt(sources, 0);
  return sourceName(kind === 'streams' ? shownAddress(source) : source) || kind;
}
