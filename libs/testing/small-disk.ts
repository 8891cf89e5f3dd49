import { execFile } from 'node:child_process';
import { chmod, chown, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '@adit/contracts';

const run = promisify(execFile);
/** Name of the file that fills the disk. */
const BALLAST = '.ballast';
const PIECE = Buffer.alloc(1 << 20);

export interface SmallDisk {
  /** Leaves no room on it. */
  fill(): Promise<void>;
  /** Gives back what `fill` took. */
  clear(): Promise<void>;
  unmount(): Promise<void>;
}

/** Mounts an empty disk of `size` (as `mount` reads it, e.g. `2m`) over `folder`; answers what unmounts it, or why it cannot be had. */
export async function smallDisk(folder: string, size: string): Promise<SmallDisk | { reason: string }> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  } catch (error) {
    const said = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
    return { reason: `no tmpfs: ${said}` };
  }
  const ballast = join(folder, BALLAST);
  return {
    fill: () => fillDisk(ballast),
    clear: () => rm(ballast, { force: true }),
    unmount: async () => void (await run('umount', ['-l', folder])),
  };
}

/**
 * Moves `part` of what a server of one's own keeps, a path below its folder, to a disk of `size`; the server is stopped for that. To be
 * unmounted before the server is removed.
 */
export async function onSmallDisk(
  server: { logFile: string | null; stop(): Promise<void>; start(): Promise<void> },
  part: string,
  size: string,
): Promise<SmallDisk | { reason: string }> {
  if (server.logFile === null) return { reason: 'the server was not started here and cannot be stopped' };
  const folder = join(dirname(server.logFile), part);
  const kept = `${folder}.kept`;
  const { uid, gid, mode } = await stat(folder);
  await server.stop();
  await rename(folder, kept);
  await run('mkdir', [folder]);
  const disk = await smallDisk(folder, size);
  await chown(folder, uid, gid);
  await chmod(folder, mode);
  await run('cp', ['-a', `${kept}/.`, folder]);
  await rm(kept, { recursive: true });
  await server.start();
  return disk;
}

async function fillDisk(file: string): Promise<void> {
  const handle = await open(file, 'a');
  try {
    // Then the last bytes, so that not a page is left.
    for (let size = PIECE.length; size >= 1; size = Math.floor(size / 16)) {
      while (await hasWritten(handle, size)) continue;
    }
  } finally {
    await handle.close();
  }
}

async function hasWritten(handle: Awaited<ReturnType<typeof open>>, size: number): Promise<boolean> {
  try {
    return (await handle.write(PIECE.subarray(0, size))).bytesWritten > 0;
  } catch (error) {
    if (errorCode(error) === 'ENOSPC') return false;
    throw error;
  }
}
