/** The hooks of source-loader.mjs, on the thread that loads modules. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

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
