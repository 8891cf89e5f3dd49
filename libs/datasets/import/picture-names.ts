import { basename, dirname, extname, join } from 'node:path/posix';
import { foldersOf, partOf } from './file-kinds.js';

/** Pictures of one name in folders of an archive that a name without its folder is looked for among. */
const MOST_NAMESAKES = 100;
/** What Label Studio puts before the name of what is uploaded. */
const UPLOADED = /^[0-9a-f]{8}-/i;

/** Which picture a list means by a name: `several` where nobody can tell. */
export type FoundPicture = { path: string; isExact: boolean } | { several: string[] } | null;

/**
 * The pictures of an archive by what lists call them: from the list's folder, from the archive's root, or from where the tool had
 * them, with slashes of any kind, as an address, or without the end of the name.
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
      else if (same.length < MOST_NAMESAKES) same.push(normal);
    }
  }

  /** `list` is the path of the list that says it. */
  find(said: string, list: string): FoundPicture {
    const named = partsOf(said.normalize('NFC'));
    const folder = dirname(list).normalize('NFC');
    const exact = this.paths.get(join(folder, ...named)) ?? this.paths.get(named.join('/'));
    if (exact !== undefined) return { path: exact, isExact: true };
    const candidates = this.byName.get(endOf(named)) ?? this.namesakes(named.at(-1) ?? '');
    // There may be more of them than were noted.
    if (candidates.length === MOST_NAMESAKES) return { several: [...candidates] };
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

/** Those whose path ends most like the name, in a folder that is the list's, or in one that is named as the list is. */
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

/** The name and the folder that it lies in. */
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

/** The part of a dataset that a list is for, by its folder or its name, as in `instances_val2017.json`. */
function partOfList(list: string): { name: string; kind: string | null } | null {
  const stem = basename(list, extname(list));
  const name = stem.slice(stem.lastIndexOf('_') + 1);
  const kind = partOf(name) ?? partIn(foldersOf(list));
  return kind === null && name === stem ? null : { name, kind };
}

function partIn(folders: readonly string[]): string | null {
  return folders.map(partOf).find((part) => part !== null) ?? null;
}

/** The folders and the name that a list says, of a path of any system or an address. */
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
