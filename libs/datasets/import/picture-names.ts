import { basename, dirname, extname, join } from 'node:path/posix';
import { foldersOf, partOf } from './file-kinds.js';

/** Limit of pictures of one name in an archive's folders among which a bare name is resolved. */
const MAX_NAMESAKES = 100;
/** Prefix that Label Studio adds to the name of an upload. */
const UPLOADED = /^[0-9a-f]{8}-/i;

/** Resolved picture of a name; `several` where it is ambiguous. */
export type FoundPicture = { path: string; isExact: boolean } | { several: string[] } | null;

/**
 * Resolves the names that lists use for an archive's pictures: relative to the list's folder or the archive's root, the
 * tool's own path, with any slashes, as an address, or without extension.
 */
export class PictureNames {
  private readonly paths = new Map<string, string>();
  private readonly byName = new Map<string, string[]>();

  note(path: string): void {
    const normal = path.normalize('NFC');
    this.paths.set(normal, path);
    const name = basename(normal);
    const stem = name.slice(0, name.length - extname(name).length);
    for (const key of new Set([endOf(normal.split('/')), name, stem, name.replace(UPLOADED, ''), name.toLowerCase()])) {
      const same = this.byName.get(key);
      if (same === undefined) this.byName.set(key, [normal]);
      else if (same.length < MAX_NAMESAKES) same.push(normal);
    }
  }

  /** `list` is the path of the list that names it. */
  find(said: string, list: string): FoundPicture {
    const named = partsOf(said.normalize('NFC'));
    const folder = dirname(list).normalize('NFC');
    const exact = this.paths.get(join(folder, ...named)) ?? this.paths.get(named.join('/'));
    if (exact !== undefined) return { path: exact, isExact: true };
    const candidates = this.byName.get(endOf(named)) ?? this.namesakes(named.at(-1) ?? '');
    // There may be more of them than were recorded.
    if (candidates.length === MAX_NAMESAKES) return { several: [...candidates] };
    const best = closest(candidates, named, list);
    const path = best.length === 1 ? this.paths.get(best[0] ?? '') : undefined;
    if (path !== undefined) return { path, isExact: false };
    return best.length === 0 ? null : { several: best.map((one) => this.paths.get(one) ?? one) };
  }

  private namesakes(name: string): readonly string[] {
    const plain = name.replace(UPLOADED, '');
    for (const key of [name, decoded(name), plain, decoded(plain), name.toLowerCase()]) {
      const found = this.byName.get(key);
      if (found !== undefined) return found;
    }
    return [];
  }
}

/** Returns those whose path ends most like the name, in the list's folder, or in a folder named like the list. */
function closest(candidates: readonly string[], named: readonly string[], list: string): string[] {
  const part = partOfList(list);
  const fitting = candidates.filter((path) => {
    const other = partIn(foldersOf(path));
    return part === null || part.kind === null || other === null || other === part.kind;
  });
  let best = mostOf(fitting, (path) => commonEnd(path.split('/'), named));
  if (part !== null && best.length > 1) best = mostOf(best, (path) => (path.split('/').includes(part.name) ? 1 : 0));
  const folder = dirname(list);
  return best.length > 1 ? mostOf(best, (path) => (path.startsWith(`${folder}/`) ? 1 : 0)) : best;
}

/** Returns the name and its folder. */
function endOf(parts: readonly string[]): string {
  return parts.slice(-2).join('/');
}

function mostOf(paths: readonly string[], worth: (path: string) => number): string[] {
  const worths = paths.map(worth);
  const most = Math.max(0, ...worths);
  return paths.filter((_, at) => worths[at] === most);
}

function commonEnd(path: readonly string[], named: readonly string[]): number {
  let count = 0;
  while (count < named.length && path.at(-1 - count) === named.at(-1 - count)) count += 1;
  return count;
}

/** Returns the part of a dataset that a list is for, by its folder or its name, as in `instances_val2017.json`. */
function partOfList(list: string): { name: string; kind: string | null } | null {
  const stem = basename(list, extname(list));
  const name = stem.slice(stem.lastIndexOf('_') + 1);
  const kind = partOf(name) ?? partIn(foldersOf(list));
  return kind === null && name === stem ? null : { name, kind };
}

function partIn(folders: readonly string[]): string | null {
  return folders.map(partOf).find((part) => part !== null) ?? null;
}

/** Splits a path of any system or an address into folders and name. */
function partsOf(said: string): string[] {
  const local = /^\/data\/local-files\/\?d=(.+)$/.exec(said)?.[1];
  const address = /^[a-z][a-z0-9+.-]+:\/\/[^/]*\/([^?#]*)/i.exec(said)?.[1];
  const path = local === undefined ? (address ?? said) : decoded(local);
  return path.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..' && !/^[a-z]:$/i.test(part));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
