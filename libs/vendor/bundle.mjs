/**
 * `nx run @adit/vendor:build`: third-party packages as a few files in `dist`, which load four times as fast as the many
 * that they come as. Compiled code imports them from here (relink.mjs); sources and tools use the packages themselves.
 */
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { withoutNamingOfClosures } from './closures.mjs';
import { bundled, fileOf } from './packages.mjs';

const here = import.meta.dirname;
const dist = join(here, 'dist');
const entriesFolder = await mkdtemp(join(here, '.entries-'));
const METADATA = 'reflect-metadata';

/** CommonJS looks for these, which ES modules lack; the polyfill has to be there before any decorator runs. */
const PREAMBLE = `import './${fileOf(METADATA)}';
import { createRequire as vendorRequire } from 'node:module';
const require = vendorRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;`;

/** Exports what the package does as Node sees it, names of CommonJS included. */
async function entryOf(specifier) {
  // The types of node:module name a key of its own for all of a CommonJS module.
  const names = Object.keys(await import(specifier)).filter((name) => name !== 'module.exports');
  const from = JSON.stringify(specifier);
  return names.length === 0 ? `import ${from};\n` : `export { ${names.join(', ')} } from ${from};\n`;
}

/** One copy of the polyfill, loaded first; esbuild would run it when the first of its users asks. */
const metadataFirst = {
  name: 'metadata-first',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^reflect-metadata$/ }, ({ importer }) =>
      importer === join(entriesFolder, `${METADATA}.entry.mjs`)
        ? undefined
        : { path: METADATA, namespace: 'loaded-already' },
    );
    onLoad({ filter: /.*/, namespace: 'loaded-already' }, () => ({ contents: '' }));
  },
};

/** Optional packages that are not installed stay imports, which fail where they do now: when they are asked for. */
const optionalStays = {
  name: 'optional-stays',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, importer, namespace, pluginData }) => {
      if (pluginData === optionalStays || kind === 'entry-point') return undefined;
      const found = await resolve(path, { kind, resolveDir, importer, namespace, pluginData: optionalStays });
      return found.errors.length > 0 ? { path, external: true } : undefined;
    });
  },
};

const entries = {};
for (const specifier of bundled) {
  const entry = join(entriesFolder, fileOf(specifier).replace(/js$/, 'entry.mjs'));
  await writeFile(entry, await entryOf(specifier));
  entries[fileOf(specifier).replace(/\.js$/, '')] = entry;
}
const { outputFiles } = await build({
  entryPoints: entries,
  outdir: dist,
  chunkNames: 'chunk-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // TypeORM and Nest speak of classes by their names.
  keepNames: true,
  minifyWhitespace: true,
  lineLimit: 200,
  banner: { js: PREAMBLE },
  plugins: [metadataFirst, optionalStays],
  logLevel: 'warning',
  write: false,
}).finally(() => rm(entriesFolder, { recursive: true }));

/** An engine that runs meanwhile, such as that of `npm run dev`, finds each file whole: the last build's or this one's. */
async function put({ path, text }) {
  const beside = `${path}.${process.pid}`;
  await writeFile(beside, withoutNamingOfClosures(text));
  await rename(beside, path);
}
await mkdir(dist, { recursive: true });
await Promise.all(outputFiles.map(put));
const made = new Set(outputFiles.map(({ path }) => basename(path)));
const stale = (await readdir(dist)).filter((name) => !made.has(name));
await Promise.all(stale.map((name) => rm(join(dist, name), { recursive: true })));
// A process that only imported a package to name its exports may hold handles.
process.exit();
