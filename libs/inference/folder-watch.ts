import { readdirSync, statSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';

/**
 * Calls `changed` soon after anything in model folders changed. Folders are watched one by one down to the versions,
 * because recursive watching is not to be had everywhere; a slow poll stands in where watching says nothing.
 */
export class FolderWatch {
  /** A folder made anew under its old name is another inode and needs another watcher. */
  private readonly watchers = new Map<string, { inode: number; watcher: FSWatcher }>();
  private readonly poll: NodeJS.Timeout;
  private debounce: NodeJS.Timeout | null = null;

  constructor(
    private readonly roots: string[],
    pollMs: number,
    private readonly changed: () => void,
    private readonly debounceMs = 100,
  ) {
    this.poll = setInterval(changed, pollMs);
    this.poll.unref();
    this.follow();
  }

  /** Watches folders that have appeared since. */
  follow(): void {
    for (const root of this.roots) {
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

  private add(folder: string): void {
    try {
      const inode = statSync(folder).ino;
      const known = this.watchers.get(folder);
      if (known?.inode === inode) return;
      known?.watcher.close();
      const watcher = watch(folder, { persistent: false }, () => this.trigger());
      this.watchers.set(folder, { inode, watcher });
      watcher.on('error', () => this.drop(folder));
    } catch {
      // Not there, or out of watches: the poll sees it.
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

function subfolders(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
      .map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}
