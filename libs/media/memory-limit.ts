import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
let works: Promise<boolean> | null = null;

/**
 * The words that start `program` so that it may not write to more than `bytes` of private memory, null for no limit of
 * ours. Held by the kernel on Linux as RLIMIT_DATA, which unlike the address space counts what a process really may
 * write to. Where prlimit is missing or forbidden it is the program alone. Within a process either every answer begins
 * with prlimit or none does.
 */
export async function underMemoryLimit(program: string, bytes: number | null): Promise<[string, ...string[]]> {
  if (process.platform !== 'linux') return [program];
  const own = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  works ??= run('prlimit', [dataOption(own, null), 'true']).then(
    () => true,
    () => false,
  );
  return (await works) ? ['prlimit', dataOption(own, bytes), program] : [program];
}

/** prlimit's option under the limits in `own`, as in /proc/self/limits: only root may raise what was set from outside. */
export function dataOption(own: string, bytes: number | null): string {
  const [, soft = 'unlimited', hard = 'unlimited'] = /^Max data size\s+(\S+)\s+(\S+)/m.exec(own) ?? [];
  if (bytes === null) return `--data=${soft}:${hard}`;
  return `--data=${hard === 'unlimited' ? bytes : Math.min(bytes, Number(hard))}`;
}
