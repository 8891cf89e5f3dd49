import type { DatasetType } from '@adit/contracts';
import type { ImportedClass, ImportFault, Said } from './import-item.js';
import { saidTwice } from './labelled.js';
import type { Manifest } from './manifest.js';
import type { PictureNames } from './picture-names.js';

/** A list and its location. */
export interface FoundList {
  path: string;
  manifest: Manifest;
}

/** Statements of an archive's lists about its files. */
export interface ListedPictures {
  type: DatasetType | null;
  classes: ImportedClass[];
  /** By path. */
  said: Map<string, Said>;
  /** Names of listed pictures that are missing. */
  missing: string[];
}

const AMBIGUOUS: ImportFault = {
  code: 'ambiguous',
  message: 'Its list names one picture, and several are called that.',
};

/**
 * Resolves each entry of the lists to a picture, and merges their statements. A list with a picture's path takes
 * precedence over one with its name alone. Yields after each entry.
 */
export function* matchPictures(lists: readonly FoundList[], names: PictureNames): Generator<void, ListedPictures> {
  const exact = new Map<string, Said>();
  const loose: { name: string; path: string; said: Said }[] = [];
  const several = new Set<string>();
  const missing: string[] = [];
  for (const { path: list, manifest } of lists) {
    for (const [name, said] of manifest.images) {
      const found = names.find(name, list);
      if (found === null) {
        if ('class' in said) missing.push(name);
      } else if ('several' in found) {
        for (const path of found.several) several.add(path);
      } else {
        if (found.isExact) exact.set(found.path, saidTwice(exact.get(found.path), said));
        else loose.push({ name, path: found.path, said });
      }
      yield;
    }
  }
  const said = new Map(exact);
  for (const { name, path, said: one } of loose) {
    if (!exact.has(path)) said.set(path, saidTwice(said.get(path), one));
    else if ('class' in one && !isSame(exact.get(path), one)) missing.push(name);
    yield;
  }
  for (const path of several) {
    if (!said.has(path)) said.set(path, { fault: AMBIGUOUS });
    yield;
  }
  const type = lists.find(({ manifest }) => manifest.type !== null)?.manifest.type ?? null;
  return { type, classes: lists.flatMap(({ manifest }) => manifest.classes), said, missing };
}

function isSame(one: Said | undefined, other: Said): boolean {
  return one !== undefined && 'class' in one && 'class' in other && one.class.label === other.class.label;
}
