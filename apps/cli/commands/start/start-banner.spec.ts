import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startBanner } from './start-banner.js';

const url = 'http://127.0.0.1:8080';

it('says what runs in nine lines, with the key that was made now', () => {
  const key = { from: 'file', path: '/srv/adit/command-line-key', made: 'adit_new' } as const;
  const said = startBanner({ url, dataDir: '/srv/adit', key, film: '/films/a.mp4', open: { link: null } });
  expect(said.split('\n').length).toBeLessThanOrEqual(10);
  for (const part of [url, `${url}/api/docs`, `${url}/console/`, 'adit_new', '/srv/adit', 'Ctrl-C'])
    expect(said).toContain(part);
});

it('names the link that signs in once, where there is one', () => {
  const link = `${url}/console/#/sign-in?code=abc`;
  const key = { from: 'file', path: '/srv/adit/command-line-key', made: null } as const;
  const lines = startBanner({ url, dataDir: '/srv/adit', key, film: null, open: { link } }).split('\n');
  expect(lines.filter((line) => line.includes(link))).toHaveLength(1);
  expect(lines.find((line) => line.includes('Open'))).toContain(`later at ${url}/console/ with the key`);
});

it('shows no key that was made before, nor one of the environment', () => {
  const path = '/srv/adit/command-line-key';
  const before = startBanner({
    url,
    dataDir: '/srv/adit',
    key: { from: 'file', path, made: null },
    film: null,
    open: null,
  });
  expect(before).toContain(`kept in ${path}`);
  const given = startBanner({ url, dataDir: '/srv/adit', key: { from: 'environment' }, film: null, open: null });
  expect(given).toContain('"Authorization: Key $ADIT_API_KEY"');
});

it('the banner has a request that a shell understands as pasted, whatever the folders are called', () => {
  const folder = mkdtempSync(join(tmpdir(), "adit's folder "));
  try {
    const path = join(folder, 'command-line-key');
    writeFileSync(path, 'adit_kept');
    const film = join(folder, 'a film.mp4');
    const said = startBanner({
      url,
      dataDir: folder,
      key: { from: 'file', path, made: null },
      film,
      open: { link: null },
    });
    const request = /^ {2}Try {3}(curl [\s\S]*\/jobs\/)$/m.exec(said)?.[1] ?? '';
    const words = execFileSync('sh', ['-c', `curl() { for word; do printf '%s\\n' "$word"; done; }\n${request}`], {
      encoding: 'utf8',
    }).split('\n');
    expect(words).toContain('Authorization: Key adit_kept');
    expect(words).toContain(JSON.stringify({ sources: [film], modules: { face_recognition: {} } }));
    expect(words).toContain(`${url}/api/v1/jobs/`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
