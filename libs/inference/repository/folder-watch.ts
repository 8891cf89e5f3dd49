import { existsSync, readdirSync, statSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';

/** Reading every model is expensive; where watching works, polling is only a fallback. */
const ROUNDS_WHEN_WATCHED = 6;
/** Folders beside the models in a root that is a package of this repository. */
const CODE = new Set(['node_modules', 'dist', 'convert', 'testing']);

/**
 * Calls `changed` soon after anything in model folders changed. Folders are watched one by one down to the versions,
 * because recursive watching is not available everywhere. Polling covers missing events: every `pollMs` when a folder
 * cannot be watched, every sixth time when all are.
 */
export class FolderWatch {
  /** A recreated folder of the same name has another inode and needs another watcher. */
  private readonly watchers = new Map<string, { inode: number; watcher: FSWatcher }>();
  private readonly poll: NodeJS.Timeout;
  private debounce: NodeJS.Timeout | null = null;
  private readonly missing = new Set<string>();
  private deaf = false;
  private rounds = 0;

  constructor(
    private readonly roots: string[],
    pollMs: number,
    private readonly changed: () => void,
    private readonly debounceMs = 100,
  ) {
    this.poll = setInterval(() => this.round(), pollMs);
    this.poll.unref();
    this.follow();
  }

  /** Watches folders that have appeared since. */
  follow(): void {
    this.deaf = false;
    for (const root of this.roots) {
      if (existsSync(root)) this.missing.delete(root);
      else this.missing.add(root);
      this.add(root);
      for (const model of subfolders(root)) {
        this.add(model);
        for (const version of subfolders(model)) this.add(version);
      }
    }
  }

  close(): void {
    clearInterval(this.poll);
    if (this.debounce) clearTimeout(this.debounce);
    for (const { watcher } of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  private round(): void {
    this.rounds++;
    const due = this.deaf || this.rounds % ROUNDS_WHEN_WATCHED === 0;
    if (due || [...this.missing].some((root) => existsSync(root))) this.changed();
  }

  private add(folder: string): void {
    const inode = statSync(folder, { throwIfNoEntry: false })?.ino;
    if (inode === undefined) return;
    try {
      const known = this.watchers.get(folder);
      if (known?.inode === inode) return;
      known?.watcher.close();
      const watcher = watch(folder, { persistent: false }, () => this.trigger());
      this.watchers.set(folder, { inode, watcher });
      watcher.on('error', () => this.drop(folder));
    } catch {
      // The system is out of watches, or the file system has none: polling covers it.
      this.deaf = true;
    }
  }

  private drop(folder: string): void {
    this.watchers.get(folder)?.watcher.close();
    this.watchers.delete(folder);
    this.trigger();
  }

  private trigger(): void {
    this.debounce ??= setTimeout(() => {
      this.debounce = null;
      this.changed();
    }, this.debounceMs).unref();
  }
}

/** Tests for folders of a root that are code: this repository's own root also holds its converter. */
export function isCode(root: string, name: string): boolean {
  return name === 'node_modules' || (CODE.has(name) && existsSync(join(root, 'package.json')));
}

function subfolders(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !isCode(folder, entry.name))
      .map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}
