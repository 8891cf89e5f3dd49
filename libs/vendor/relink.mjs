/**
 * `node relink.mjs <dist>`: the last step of compiling a package. Where its code imports a package that is bundled, it
 * imports the bundle from now on. Lines stay where they are, so source maps stay true.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { init, parse } from 'es-module-lexer';
import { bundled, fileOf } from './packages.mjs';

const vendor = join(import.meta.dirname, 'dist');
const folder = resolve(process.argv[2]);
await init;
for (const entry of await readdir(folder, { recursive: true })) {
  if (!entry.endsWith('.js')) continue;
  const path = join(folder, entry);
  const code = await readFile(path, 'utf8');
  const linked = relink(code, path);
  if (linked !== code) await writeFile(path, linked);
}

function relink(code, path) {
  let linked = '';
  let copied = 0;
  for (const { specifier, start, end } of parse(code, path)[0]) {
    if (bundled.includes(specifier)) {
      linked += code.slice(copied, start) + relative(dirname(path), join(vendor, fileOf(specifier)));
      copied = end;
      continue;
    }
    // Its classes would be others than those of the bundle.
    const of = bundled.find((name) => specifier?.startsWith(`${name}/`));
    if (of !== undefined) throw new Error(`${path} imports ${specifier}, but ${of} is bundled: import it from there.`);
  }
  return linked + code.slice(copied);
}
