import { afterAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { folderOf } from './installing.mjs';

const run = promisify(execFile);
const cache = mkdtempSync(join(tmpdir(), 'adit-installing-'));
const installing = new URL('./installing.mjs', import.meta.url).href;
afterAll(() => rmSync(cache, { recursive: true, force: true }));

/** Another process that installs `thing` by `fill`, which sees `folder` and `fs`. */
function install(fill: string) {
  const script = `
    const fs = await import('node:fs');
    const { installOnce } = await import(${JSON.stringify(installing)});
    console.log(await installOnce('thing', async (folder) => { ${fill} }));`;
  const env = { ...process.env, ADIT_CACHE_DIR: cache };
  return run(process.execPath, ['--input-type=module', '-e', script], { env });
}

it('installs whole or not at all, and once', async () => {
  const thing = join(cache, 'servers/thing');
  await expect(install(`fs.writeFileSync(folder + '/half', ''); throw new Error('no network');`)).rejects.toThrow(
    /no network/,
  );
  expect(readdirSync(join(cache, 'servers'))).toEqual([]);

  // Remains of a killed set-up are neither used nor mixed into the installation.
  mkdirSync(`${thing}.partial`, { recursive: true });
  writeFileSync(join(`${thing}.partial`, 'half'), '');
  const fill = `fs.appendFileSync(${JSON.stringify(join(cache, 'fills'))}, 'x'); fs.writeFileSync(folder + '/whole', '');
    await new Promise((resolve) => setTimeout(resolve, 300));`;
  const outcomes = await Promise.all([install(fill), install(fill), install(fill)]);
  expect(new Set(outcomes.map(({ stdout }) => stdout.trim()))).toEqual(new Set([thing]));
  expect(readFileSync(join(cache, 'fills'), 'utf8')).toBe('x');
  expect(readdirSync(thing)).toEqual(['whole']);
  expect(existsSync(`${thing}.partial`)).toBe(false);
});

/** @hardening setup: Test media of an earlier version stay in the cache */
it('names what is made here by all that makes it', () => {
  const name = folderOf('thing', ['pom.xml', 'go.mod'], ['-trimpath'], 'go1.25');
  expect(name).toMatch(/^thing-[0-9a-f]{12}$/);
  expect(folderOf('thing', ['pom.xml', 'go.mod'], ['-trimpath'], 'go1.25')).toBe(name);
  const others = [
    folderOf('thing', ['pom.xml', 'go.sum'], ['-trimpath'], 'go1.25'),
    folderOf('thing', ['pom.xml', 'go.mod'], ['-s'], 'go1.25'),
    folderOf('thing', ['pom.xml', 'go.mod'], ['-trimpath'], 'go1.26'),
  ];
  expect(new Set([name, ...others]).size).toBe(4);
});

it.each(['go', 'postgres'])('knows the hash of every file that the wheel of %s may be', (name) => {
  const lines = readFileSync(join(import.meta.dirname, 'wheels', `${name}.txt`), 'utf8')
    .split('\n')
    .slice(1, -1);
  expect(lines[0]).toMatch(/^[a-z-]+==[\d.]+ \\$/);
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines.slice(1)) expect(line).toMatch(/^ {4}--hash=sha256:[0-9a-f]{64}( \\)?$/);
});
