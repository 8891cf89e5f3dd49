/** The hooks of source-loader.mjs. They answer at once, so that they serve Node's hooks of a thread of their own and those of the same thread. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundled, fileOf } from '../vendor/packages.mjs';
import { compiled } from './compile.mjs';

/** After a build (`npm test`, `npm run dev`) packages come from the bundles that services load: as few files. */
const VENDOR = new URL('../vendor/dist/', import.meta.url);
const vendor = new Set(process.env.ADIT_BUILT === undefined ? [] : bundled);

export function resolve(specifier, context, next) {
  // `require` gets the package itself.
  if (vendor.has(specifier) && context.conditions.includes('import'))
    return { url: new URL(fileOf(specifier), VENDOR).href, shortCircuit: true };
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.startsWith('file:')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(fileURLToPath(source))) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export function load(url, context, next) {
  const { protocol, pathname } = new URL(url);
  if (protocol !== 'file:' || !/\.ts$/.test(pathname)) return next(url, context);
  return { format: 'module', source: compiled(fileURLToPath(url)), shortCircuit: true };
}
