import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Mounts an empty disk of `size` (as `mount` reads it, e.g. `2m`) over `folder`; answers what unmounts it, or why it cannot be had. */
export async function smallDisk(
  folder: string,
  size: string,
): Promise<{ unmount(): Promise<void> } | { reason: string }> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  } catch (error) {
    const said = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
    return { reason: `no tmpfs: ${said}` };
  }
  return { unmount: async () => void (await run('umount', ['-l', folder])) };
}
