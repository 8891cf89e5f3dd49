import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Options that let a thread run TypeScript; a process of built modules does not need them. */
const FROM_SOURCE = [
  '--conditions=@adit/source',
  '--import',
  new URL('../testing/source-loader.mjs', import.meta.url).href,
];

/**
 * A thread that runs a module of ours beside the caller's: `name` without its ending, `beside` the caller's `import.meta.url`.
 * It runs what the caller is, built or from source as in tests, and gets none of the process's own options (a test runner's
 * module loader, --inspect).
 */
export function startThread(
  name: string,
  beside: string,
  options: Omit<WorkerOptions, 'name' | 'execArgv'> = {},
): Worker {
  const isSource = beside.endsWith('.ts');
  return new Worker(new URL(`./${name}${isSource ? '.ts' : '.js'}`, beside), {
    ...options,
    name,
    execArgv: isSource ? FROM_SOURCE : [],
  });
}
