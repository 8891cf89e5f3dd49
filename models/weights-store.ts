import { randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { digestOf } from '@adit/contracts';
import { sha256OfFile } from '@adit/runtime/sha256';
import { z } from 'zod';

/** State of a file when its hash was last computed; an unchanged file is not read again. */
const Stamp = z.object({ sha256: z.string(), size: z.number(), mtimeMs: z.number() });

/**
 * Verified weights by hash, outside any checkout: `<cacheDir>/weights/<sha256>.onnx`. Concurrent checkouts and
 * processes are safe, since every file is written under a private name, then renamed.
 */
export class WeightsStore {
  private readonly folder: string;

  constructor(cacheDir: string) {
    this.folder = join(resolve(cacheDir), 'weights');
  }

  pathOf(sha256: string): string {
    return join(this.folder, `${sha256}.onnx`);
  }

  /**
   * Returns true when `path` has bytes of that hash. Without `rehash`, an earlier check counts as long as size and
   * modification time are unchanged.
   */
  async holds(path: string, sha256: string, rehash: boolean): Promise<boolean> {
    const file = await stat(path).catch(() => undefined);
    if (file === undefined || !file.isFile()) return false;
    const expected = { sha256, size: file.size, mtimeMs: file.mtimeMs };
    if (!rehash) {
      const stamp = await this.readStamp(path);
      if (stamp && digestOf(stamp) === digestOf(expected)) return true;
    }
    if ((await sha256OfFile(path)) !== sha256) return false;
    await writeAtomically(this.stampOf(path), Buffer.from(JSON.stringify(expected)));
    return true;
  }

  async add(sha256: string, bytes: Uint8Array): Promise<void> {
    await writeAtomically(this.pathOf(sha256), bytes);
  }

  /** Puts the stored weights at `target`: a hard link, or a copy where the file system refuses one. */
  async place(sha256: string, target: string): Promise<void> {
    await mkdir(dirname(target), { recursive: true });
    const temporary = temporaryName(target);
    try {
      await link(this.pathOf(sha256), temporary).catch(() => copyFile(this.pathOf(sha256), temporary));
      await rename(temporary, target);
    } finally {
      // Renaming onto a link to the same file leaves the old name behind.
      await rm(temporary, { force: true });
    }
  }

  private async readStamp(path: string): Promise<z.infer<typeof Stamp> | undefined> {
    try {
      return Stamp.parse(JSON.parse(await readFile(this.stampOf(path), 'utf8')));
    } catch {
      return undefined;
    }
  }

  private stampOf(path: string): string {
    return join(this.folder, 'verified', `${digestOf(resolve(path))}.json`);
  }
}

async function writeAtomically(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = temporaryName(path);
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

function temporaryName(path: string): string {
  return `${path}.${randomUUID()}.tmp`;
}
