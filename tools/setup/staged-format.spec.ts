import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const hooks = fileURLToPath(new URL('../hooks', import.meta.url));
const script = fileURLToPath(new URL('staged-format.mjs', import.meta.url));
const FORMATTED = "export const name = 'value';\n";
const UNFORMATTED = 'export const name="value"\n';

describe('the hook before a commit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'adit-staged-'));
  // Hooks of git itself name the repository in variables.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env });
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
  const hook = () => spawnSync(process.execPath, [script], { cwd: folder, env, encoding: 'utf8' });

  beforeAll(() => {
    git('init', '-q');
    write('.oxfmtrc.jsonc', '{ "singleQuote": true, "ignorePatterns": ["generated.js"] }\n');
    write('.editorconfig', '[*.yaml]\nindent_size = 4\n');
    git('add', '.');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('passes formatted files, and those that are generated or of no known kind', () => {
    write('good.js', FORMATTED);
    write('generated.js', UNFORMATTED);
    write('notes.unknown', UNFORMATTED);
    write('four.yaml', 'a:\n    b: 1\n');
    git('add', '.');
    expect(hook()).toMatchObject({ status: 0, stderr: '' });
  });

  it('refuses by name what is staged unformatted, though the file was put right since', () => {
    write("it's bad.js", UNFORMATTED);
    git('add', '.');
    write("it's bad.js", FORMATTED);
    const { status, stderr } = hook();
    expect(status).toBe(1);
    expect(stderr).toContain("npx oxfmt 'it'\\''s bad.js'\n");
    expect(stderr).not.toContain('good.js');
  });

  it('refuses what cannot be read as what its name says', () => {
    git('add', '.');
    write('broken.js', 'const = ;');
    git('add', '.');
    const { status, stderr } = hook();
    expect([status, stderr]).toEqual([1, expect.stringContaining('broken.js')]);
    git('rm', '-q', '--cached', 'broken.js');
  });

  it('leaves alone what is not staged', () => {
    write('good.js', UNFORMATTED);
    expect(hook().status).toBe(0);
  });

  it('is run by git, as the one for messages is', () => {
    for (const name of ['pre-commit', 'commit-msg']) accessSync(join(hooks, name), constants.X_OK);
  });
});
