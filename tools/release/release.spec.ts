import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { releasedChangelog } from './changelog.mjs';
import { makeRelease, runRelease } from './run.mjs';
import { namedVersions, nextVersion, versionFiles, withVersion } from './versions.mjs';

const repository = join(import.meta.dirname, '../..');
const versionsIn = (root: string, file: string) => namedVersions(file, readFileSync(join(root, file), 'utf8'));
const [version] = versionsIn(repository, 'package.json');

describe('the version', () => {
  it.each(versionFiles())('is the same in %s', (file) => {
    expect(new Set([version, ...versionsIn(repository, file)])).toEqual(new Set([version]));
  });

  it('is that of the OpenAPI document', () => {
    const document = readFileSync(join(repository, 'docs/api/openapi.json'), 'utf8');
    expect(JSON.parse(document)).toMatchObject({ info: { version } });
  });

  it('is replaced alone', () => {
    const chart = 'apiVersion: v2\nversion: 1.0.0\nappVersion: 1.0.0\nkubeVersion: 1.31.0\n';
    expect(withVersion('helm/adit/Chart.yaml', chart, '2.0.0')).toBe(
      'apiVersion: v2\nversion: 2.0.0\nappVersion: 2.0.0\nkubeVersion: 1.31.0\n',
    );
    const manifest = '{\n  "version": "1.0.0",\n  "a": {\n    "version": "1.0.0"\n  }\n}\n';
    expect(withVersion('libs/a/package.json', manifest, '2.0.0')).toBe(manifest.replace('1.0.0', '2.0.0'));
    expect(() => withVersion('deploy/Dockerfile', 'FROM node', '2.0.0')).toThrow('deploy/Dockerfile names no version.');
  });

  it.each([
    ['patch', '1.2.4'],
    ['minor', '1.3.0'],
    ['major', '2.0.0'],
    ['1.10.0', '1.10.0'],
  ])('%s of 1.2.3 is %s', (asked, next) => expect(nextVersion('1.2.3', asked)).toBe(next));

  it.each([
    ['1.2.3', /not later than 1\.2\.3/],
    ['1.1.9', /not later than 1\.2\.3/],
    ['2.0', /three numbers/],
    ['2.0.0-rc.1', /three numbers/],
    ['v2.0.0', /three numbers/],
  ])('%s is refused', (asked, sentence) => expect(() => nextVersion('1.2.3', asked)).toThrow(sentence));
});

describe('the changelog', () => {
  it('has what was unreleased under the version, and an empty section on top', () => {
    const text = '# Changelog\n\n## Unreleased\n\n### Added\n\n- This.\n\n## 0.1.0\n\n- That.\n';
    expect(releasedChangelog(text, '0.2.0', '2026-11-30')).toBe(
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-11-30\n\n### Added\n\n- This.\n\n## 0.1.0\n\n- That.\n',
    );
  });

  it.each(['# Changelog\n', '# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- That.\n'])(
    'is no release where there is nothing new: %j',
    (text) => expect(() => releasedChangelog(text, '0.2.0', '2026-11-30')).toThrow('Unreleased'),
  );
});

describe('npm run release', () => {
  let root: string;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const write = (file: string, text: string) => writeFileSync(join(root, file), text);
  const regenerate = () => write('openapi.json', 'generated');
  const next = nextVersion(version ?? '', 'minor');
  const place = () => ({ root, date: '2027-01-31', regenerate });

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'adit-release-'));
    for (const file of versionFiles()) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      copyFileSync(join(repository, file), join(root, file));
    }
    write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n- New.\n');
    write('openapi.json', '');
    git('init', '--quiet', '--initial-branch', 'main');
    git('config', 'user.name', 'Somebody');
    git('config', 'user.email', 'somebody@example.org');
    git('add', '.');
    git('commit', '--quiet', '--message', 'chore: begin');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('writes the version everywhere, commits and tags', () => {
    const said = makeRelease({ asked: 'minor', isDryRun: false }, place());
    for (const file of versionFiles(root)) {
      expect([file, ...new Set([next, ...versionsIn(root, file)])]).toEqual([file, next]);
    }
    expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toContain(`## Unreleased\n\n## ${next} - 2027-01-31\n`);
    expect(readFileSync(join(root, 'openapi.json'), 'utf8')).toBe('generated');
    expect(git('log', '-1', '--format=%s')).toBe(`chore(release): ${next}`);
    expect(git('describe', '--exact-match')).toBe(`v${next}`);
    expect(git('status', '--porcelain')).toBe('');
    expect(said.join('\n')).toContain(`git push --atomic origin main v${next}`);
  });

  it('changes nothing with --dry-run', () => {
    const said = makeRelease({ asked: 'minor', isDryRun: true }, place());
    expect(said).toContain('  helm/adit/Chart.yaml');
    expect([git('status', '--porcelain'), git('tag'), git('rev-list', '--count', 'HEAD')]).toEqual(['', '', '1']);
  });

  it('says how to go back where something fails after the files were written', () => {
    const failing = {
      ...place(),
      regenerate: () => {
        throw new Error('no build');
      },
    };
    expect(() => makeRelease({ asked: 'minor', isDryRun: false }, failing)).toThrow(/no build[^]*git restore/);
    git('restore', '--staged', '--worktree', '.');
    expect([git('status', '--porcelain'), git('tag')]).toEqual(['', '']);
  });

  it.each([
    ['a branch', () => git('switch', '--quiet', '--create', 'other'), /on main; this is other/],
    ['changes', () => write('new.txt', ''), /not committed:\n\?\? new\.txt/],
    ['a tag that there is', () => git('tag', `v${next}`), /There is a tag v/],
  ])('refuses %s', (_, prepare, sentence) => {
    prepare();
    expect(() => makeRelease({ asked: 'minor', isDryRun: true }, place())).toThrow(sentence);
  });

  it('takes one version', async () => {
    await expect(runRelease([])).rejects.toThrow(/one version[^]*npm run release/);
    await expect(runRelease(['minor', '--push'])).rejects.toThrow(/--push/);
  });
});
