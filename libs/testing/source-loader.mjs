/**
 * Lets a plain Node process run the repository's TypeScript, for tests that need a process to kill:
 * `node --conditions=@adit/source --import ./source-loader.mjs program.ts`.
 */
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

// The file is both: what --import runs, and (on the hooks' own thread) the hooks.
if (isMainThread) register(import.meta.url);

export async function resolve(specifier, context, next) {
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.startsWith('file:')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(fileURLToPath(source))) return next(source.href, context);
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { transformFile } = await import('@swc/core');
  const { code } = await transformFile(fileURLToPath(url), {
    configFile: fileURLToPath(new URL('../../.swcrc', import.meta.url)),
  });
  return { format: 'module', source: code, shortCircuit: true };
}
