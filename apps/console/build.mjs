// Bundles each page: dist/<page>/index.html, and its assets under names with their hash.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = import.meta.dirname;
/** Limit of the script that a page loads first, and of all of it, in bytes as sent (gzip). */
const LIMITS = {
  editor: { whole: 50_000 },
  console: { first: 60_000, whole: 170_000 },
};
/** Limit of the editor's script, uncompressed. */
const MAX_EDITOR_BYTES = 150_000;

for (const [page, limits] of Object.entries(LIMITS)) await buildPage(page, limits);

async function buildPage(page, limits) {
  const out = join(root, 'dist', page);
  await rm(out, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: [join(root, page, 'main.tsx'), join(root, page, 'style.css'), join(root, page, 'icon.svg')],
    outdir: join(out, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    absWorkingDir: root,
    bundle: true,
    // Parts that are imported when they are needed become files of their own.
    splitting: page === 'console',
    loader: { '.svg': 'copy' },
    minify: true,
    format: 'esm',
    target: ['es2022', 'chrome111', 'firefox113', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    conditions: ['@adit/source'],
    metafile: true,
    legalComments: 'none',
    banner: { js: '/* Licences of the bundled packages: licences.txt, beside this. */' },
    logLevel: 'warning',
  });
  await checkSizes(page, metafile, limits);
  await writeFile(join(out, 'assets', 'licences.txt'), await licencesOf(Object.keys(metafile.inputs)));
  const names = Object.keys(metafile.outputs).map((path) => basename(path));
  const template = await readFile(join(root, page, 'index.html'), 'utf8');
  const html = template.replace(/main\.js|style\.css|icon\.svg/g, (name) => {
    const [stem, extension] = name.split('.');
    return names.find((each) => each.startsWith(`${stem}-`) && each.endsWith(`.${extension}`));
  });
  await mkdir(out, { recursive: true });
  await writeFile(join(out, 'index.html'), html);
}

/** Throws where a page has more script than it may. */
async function checkSizes(page, { outputs }, { first, whole }) {
  const scripts = Object.keys(outputs).filter((path) => path.endsWith('.js'));
  const main = scripts.find((path) => basename(path).startsWith('main-'));
  const sent = async (paths) => {
    const files = await Promise.all(paths.map((path) => readFile(join(root, path))));
    return files.reduce((sum, bytes) => sum + gzipSync(bytes).length, 0);
  };
  const check = (what, bytes, limit) => {
    if (bytes <= limit) return;
    const message = `${what} of ${page} has ${bytes} bytes; ${limit} are allowed. Remove a dependency or load it later.`;
    throw new Error(message);
  };
  check('The script', await sent(scripts), whole);
  if (first !== undefined) check('The script that is loaded first', await sent(loadedFirst(main, outputs)), first);
  if (page === 'editor') check('The script, uncompressed,', outputs[main].bytes, MAX_EDITOR_BYTES);
}

/** A script and those that it imports before it runs. */
function loadedFirst(path, outputs, seen = new Set()) {
  if (seen.has(path)) return [];
  seen.add(path);
  const imported = outputs[path].imports.filter(({ kind }) => kind === 'import-statement');
  return [path, ...imported.flatMap((each) => loadedFirst(each.path, outputs, seen))];
}

/** Licences of the packages that these files come from. */
async function licencesOf(files) {
  const folders = new Set(files.flatMap((file) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
    return `${name} ${version}\n\n${await readFile(join(root, folder, 'LICENSE'), 'utf8')}`;
  });
  return (await Promise.all(texts)).join('\n\n');
}
