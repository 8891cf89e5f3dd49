import { AditError, elementAt } from '@adit/contracts';
import { isStructural, partOf } from './file-kinds.js';
import type { ImportFault, Said } from './import-item.js';
import { Labels } from './labelled.js';

interface Folder {
  /** Pictures that lie in it and in no other folder of it. */
  pictures: number;
  folders: Map<string, Folder>;
}

/** What the folders around pictures say of them, when all of these were noted. Folders that tools make are looked through. */
export class ClassFolders {
  private readonly root: Folder = { pictures: 0, folders: new Map() };
  private readonly labels = new Labels();
  /** Folders around those of the classes; null until `decide`. */
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

  /** How many classes there are, once all pictures are noted. Throws MEDIA_INVALID where nobody can tell them from the folders. */
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

  /** What a picture is, by its path. */
  of(path: string): Said {
    const around = this.around ?? [];
    const names = meaningful(path);
    const label = names[around.length];
    const isInside = around.every((name, at) => names[at] === name);
    if (!isInside || label === undefined) return { fault: outside(path) };
    const last = path.split('/').at(-2) ?? '';
    // Nobody parts a class; and a folder of images in the only other one is a tool's, and the other one what was exported.
    if (partOf(last) !== null || (this.isOneClass && isStructural(last))) return { fault: outside(path) };
    return label.trim() === ''
      ? { fault: { code: 'no_class', message: 'The folder has no name.' } }
      : this.labels.said([label]);
  }
}

/** The folders of a path, without those that tools make. */
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
