import { AditError, elementAt } from '@adit/contracts';
import { isStructural, partOf } from './file-kinds.js';
import type { ImportFault, Said } from './import-item.js';
import { Labels } from './labelled.js';

interface Folder {
  /** Pictures directly in this folder. */
  pictures: number;
  folders: Map<string, Folder>;
}

/** Infers classes from the folders of pictures, once all are recorded. Folders that tools create are ignored. */
export class ClassFolders {
  private readonly root: Folder = { pictures: 0, folders: new Map() };
  private readonly labels = new Labels();
  /** Common folders around those of the classes; null until `decide`. */
  private around: string[] | null = null;
  private isOneClass = false;

  note(path: string): void {
    let at = this.root;
    for (const name of meaningful(path)) {
      const next = at.folders.get(name) ?? { pictures: 0, folders: new Map() };
      at.folders.set(name, next);
      at = next;
    }
    at.pictures += 1;
  }

  /**
   * Returns the number of classes, once all pictures are recorded. Throws MEDIA_INVALID where the folders are
   * ambiguous.
   */
  decide(): number {
    const around: string[] = [];
    let at = this.root;
    while (at.folders.size === 1) {
      const [name, folder] = elementAt([...at.folders], 0);
      const [inner] = folder.folders.keys();
      if (inner === undefined) break;
      if (folder.pictures > 0 && folder.folders.size === 1) {
        const both = `${[...around, name].join('/')} holds pictures, and ${inner} in it holds some too`;
        throw new AditError(
          'MEDIA_INVALID',
          `${both}: put the folder of each class beside the others, and nothing else.`,
        );
      }
      around.push(name);
      at = folder;
    }
    this.around = around;
    this.isOneClass = at.folders.size === 1;
    return at.folders.size;
  }

  /** Returns the class of a picture, by its path. */
  of(path: string): Said {
    const around = this.around ?? [];
    const names = meaningful(path);
    const label = names[around.length];
    const isInside = around.every((name, at) => names[at] === name);
    if (!isInside || label === undefined) return { fault: outside(path) };
    const last = path.split('/').at(-2) ?? '';
    // A class is never split, and a folder of images beside only one other belongs to a tool, the other one being the
    // export.
    if (partOf(last) !== null || (this.isOneClass && isStructural(last))) return { fault: outside(path) };
    return label.trim() === ''
      ? { fault: { code: 'no_class', message: 'The folder has no name.' } }
      : this.labels.said([label]);
  }
}

/** Returns the folders of a path, without those that tools create. */
function meaningful(path: string): string[] {
  return path
    .split('/')
    .slice(0, -1)
    .filter((name) => !isStructural(name));
}

function outside(path: string): ImportFault {
  const last = path.split('/').at(-2);
  const where = last === undefined ? 'no folder' : `the folder ${last}, which is none of a class`;
  return { code: 'no_class', message: `It lies in ${where}: the name of the folder is that of the class.` };
}
