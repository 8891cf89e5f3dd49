import { spawnSync } from 'node:child_process';

/** Linux filters TCP by port since 6.7, where Landlock is switched on. */
export function hasLandlock(): boolean {
  if (process.platform !== 'linux') return false;
  return spawnSync('perl', ['-e', 'exit(syscall(444, 0, 0, 1) < 4)']).status === 0;
}
