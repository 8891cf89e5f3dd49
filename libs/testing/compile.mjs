/** TypeScript as Node runs it, by the compiler of the build. What was compiled is kept, a file for each source. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const configFile = join(root, '.swcrc');
const folder = join(root, 'node_modules/.cache/adit/compiled');
const compiler = readFileSync(configFile, 'utf8') + readFileSync(join(root, 'node_modules/@swc/core/package.json'));
/** A folder with texts that stand in for sources of the same path: how `npm run mutants` leaves the working tree alone. */
const overlay = process.env.ADIT_SOURCE_OVERLAY;
const require = createRequire(import.meta.url);

const digest = (text) => createHash('sha256').update(text).digest('hex');
/** By its path in the repository: copies of that share the folder, and what is the same in them. */
const placeOf = (path) => join(folder, digest(relative(root, path)).slice(0, 32));

/** JavaScript of the source at `path`, its source map within. */
export function compiled(path) {
  const instead = overlay === undefined ? null : textOf(join(overlay, relative(root, path)));
  if (instead !== null) return compile(instead, path).code;
  const source = readFileSync(path, 'utf8');
  const mark = `// of ${digest(`${compiler}\n${source}`)}\n`;
  const place = placeOf(path);
  const kept = textOf(place);
  if (kept?.endsWith(mark)) return kept;
  const { code, map } = compile(source, path);
  const named = JSON.stringify({ ...JSON.parse(map), sources: [path] });
  const inline = Buffer.from(named).toString('base64');
  const text = `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}\n${mark}`;
  mkdirSync(folder, { recursive: true });
  write(`${place}.map`, named);
  write(place, text);
  return text;
}

/** Throws SyntaxError, the place as all of its stack: neither the compiler's own nor ours says more. */
function compile(source, path) {
  try {
    return require('@swc/core').transformSync(source, { configFile, filename: path, sourceMaps: true });
  } catch (error) {
    const [place = ''] = String(error.message).split(/\n+Caused by:/);
    const problem = new SyntaxError(place.trim());
    problem.stack = `SyntaxError: ${problem.message}`;
    throw problem;
  }
}

/** The file with the source map of the source at `path`, once that was compiled. */
export function sourceMapOf(path) {
  return `${placeOf(path)}.map`;
}

function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Several processes may be at it. */
function write(path, text) {
  const own = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  writeFileSync(own, text);
  renameSync(own, path);
}
