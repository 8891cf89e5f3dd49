import { constants } from 'node:fs';
import { lstat, open, opendir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { AditError, errorCode } from '@adit/contracts';
import type { ForeignObject, ForeignObjects } from './foreign-objects.js';

/** Files of a folder, such as one that is mounted. Links are left out: they may lead anywhere. */
export class ForeignFolder implements ForeignObjects {
  constructor(private readonly root: string) {}

  async *list(): AsyncIterable<ForeignObject> {
    yield* this.below(this.root);
  }

  async get(name: string): Promise<Readable> {
    try {
      const file = await open(join(this.root, name), constants.O_RDONLY | constants.O_NOFOLLOW);
      return file.createReadStream();
    } catch (error) {
      throw this.problem(error, name);
    }
  }

  close(): void {
    // Nothing is held.
  }

  private async *below(folder: string): AsyncIterable<ForeignObject> {
    try {
      for await (const entry of await opendir(folder)) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) yield* this.below(path);
        if (!entry.isFile()) continue;
        const { size, mtimeMs, ctimeMs, ino, mtime } = await lstat(path);
        const name = relative(this.root, path).split(sep).join('/');
        yield { name, size, tag: `${ino} ${mtimeMs} ${ctimeMs}`, modified: mtime };
      }
    } catch (error) {
      throw this.problem(error, folder);
    }
  }

  private problem(error: unknown, what: string): unknown {
    if (error instanceof AditError) return error;
    const code = errorCode(error);
    if (code === 'ENOENT' && what !== this.root) return new AditError('NOT_FOUND', `There is no file ${what}.`);
    return new AditError('UNAVAILABLE', `The folder ${this.root} cannot be read (${code ?? 'unknown'}).`, {
      cause: error,
    });
  }
}
