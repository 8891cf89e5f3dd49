// Has the exporters write their exports: a script of `python` for each exporter, in the Python of its environment.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pythonWith } from '../peers/python.mjs';

/**
 * Makes those exports of an environment whose names hold `only`, each in a folder of its name below `folder`. `onReport` gets a line of
 * { name, failed, seconds } about each. Throws PeerError where its packages cannot be had.
 */
export async function make({ name, module, installs, scripts }, { folder, pictures, only, onReport }) {
  const digest = createHash('sha256').update(JSON.stringify(installs)).digest('hex').slice(0, 12);
  const python = await pythonWith(module, { name: `exports-${name}-${digest}`, installs });
  for (const script of scripts) {
    const args = [join(import.meta.dirname, 'python', script), folder, pictures, only];
    const child = spawn(python, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const errors = [];
    child.stderr.setEncoding('utf8').on('data', (text) => errors.push(text));
    for await (const line of createInterface({ input: child.stdout }))
      if (line.startsWith('{"name"')) onReport(JSON.parse(line));
    const code = child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve)));
    if (code !== 0)
      onReport({ name: script, failed: errors.join('').trim().split('\n').at(-1) ?? `ended with ${code}`, seconds: 0 });
  }
}

/** The exports in the order of their names: the output of the script, and the folder. */
export async function made(folder, only) {
  const names = (await readdir(folder)).filter((name) => name.includes(only)).sort();
  // Without its note it was broken off.
  const whole = names.filter((name) => existsSync(join(folder, name, 'export.json')));
  const all = await Promise.all(whole.map((name) => readFile(join(folder, name, 'export.json'), 'utf8')));
  const said = all.map((text, at) => ({ folder: join(folder, whole[at]), ...JSON.parse(text) }));
  return said.filter(({ failed }) => failed === undefined);
}
