// Bundles each page of the console: dist/<page>/index.html, and its assets under names with their hash.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const root = import.meta.dirname;
/** Limit of a page's script, uncompressed. */
const MAX_SCRIPT_BYTES = 150_000;

await buildPage('editor');

async function buildPage(page) {
  const out = join(root, 'dist', page);
  await rm(out, { recursive: true, force: true });
  const { metafile } = await build({
    entryPoints: [join(root, page, 'main.tsx'), join(root, page, 'style.css'), join(root, page, 'icon.svg')],
    outdir: join(out, 'assets'),
    entryNames: '[name]-[hash]',
    absWorkingDir: root,
    bundle: true,
    loader: { '.svg': 'copy' },
    minify: true,
    format: 'esm',
    target: ['es2022', 'chrome111', 'firefox113', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    conditions: ['@adit/source'],
    metafile: true,
    legalComments: 'none',
    banner: { js: '/* Licences of the bundled packages: licences.txt, beside this. */' },
    logLevel: 'warning',
  });
  const names = Object.keys(metafile.outputs).map((path) => basename(path));
  const script = names.find((name) => name.endsWith('.js'));
  const { bytes } = metafile.outputs[`dist/${page}/assets/${script}`];
  if (bytes > MAX_SCRIPT_BYTES)
    throw new Error(
      `The script of ${page} has ${bytes} bytes; ${MAX_SCRIPT_BYTES} are allowed. Remove a dependency or load it later.`,
    );
  await writeFile(join(out, 'assets', 'licences.txt'), await licencesOf(Object.keys(metafile.inputs)));
  const template = await readFile(join(root, page, 'index.html'), 'utf8');
  const html = template.replace(/main\.js|style\.css|icon\.svg/g, (name) => {
    const [stem, extension] = name.split('.');
    return names.find((each) => each.startsWith(`${stem}-`) && each.endsWith(`.${extension}`));
  });
  await mkdir(out, { recursive: true });
  await writeFile(join(out, 'index.html'), html);
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
