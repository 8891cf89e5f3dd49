import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ffmpegProgram, FilmSite, transcode } from '@adit/testing';
import { probeMedia } from '../../probe.js';
import { fetchPlatform } from './fetch-platform.js';
import { ytDlpState } from './program.js';

/** The real one, of a version that set-up pins; see tools/setup/test-programs.mjs. */
const YT_DLP = process.env['ADIT_TEST_YT_DLP'];
const run = promisify(execFile);
const before = { HOME: process.env['HOME'], SSL_CERT_FILE: process.env['SSL_CERT_FILE'] };

let folder: string;
let work: string;
let site: FilmSite;
let film: string;

const title =
  YT_DLP === undefined
    ? 'yt-dlp itself (skipped: ADIT_TEST_YT_DLP names none; a whole npm test fetches it)'
    : 'yt-dlp itself';
(YT_DLP === undefined ? describe.skip : describe)(title, () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-yt-dlp-'));
    work = join(folder, 'work');
    site = await FilmSite.open();
    process.env['SSL_CERT_FILE'] = join(folder, 'ca.pem');
    await writeFile(join(folder, 'ca.pem'), site.certificate);
    const pictures = ['-f', 'lavfi', '-i', 'testsrc=s=160x120:d=4:r=25', '-f', 'lavfi', '-i', 'sine=d=4'];
    film = await transcode('film.mp4', [...pictures, '-c:v', 'libx264', '-g', '25', '-c:a', 'aac', '-shortest']);
    site.file('/film.mp4', film);
  }, 60_000);
  afterAll(async () => {
    await site.close();
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await rm(folder, { recursive: true, force: true });
  });

  const fetched = (path: string, more: { maxBytes?: number; idleTimeoutSeconds?: number } = {}) =>
    fetchPlatform(
      site.url(path),
      {
        ...{ directory: work, maxBytes: 10_000_000, timeoutSeconds: 60, idleTimeoutSeconds: 10, ...more },
        ...{ localRoots: [], allowHttp: false, allowPrivateAddresses: ['127.0.0.1/32'] },
        ytDlp: YT_DLP,
      },
      { extractors: ['generic'], ports: [site.port] },
    );

  it('says which it is', async () => {
    expect(await ytDlpState(YT_DLP)).toMatchObject({ kind: 'works', version: '2026.10.26' });
  });

  it('gets a film, and one that a page names, through the proxy', async () => {
    site.page('/page', '<html><head><title>x</title><meta property="og:video" content="/film.mp4"></head></html>');
    for (const path of ['/film.mp4', '/page']) {
      const copy = await fetched(path);
      expect(await readFile(copy.path)).toEqual(await readFile(film));
      await rm(copy.path);
    }
    expect(site.asked).toContain('/page');
    expect(await readdir(work)).toEqual([]);
  }, 60_000);

  it('gets pictures and sound that come apart, in segments, which become one film', async () => {
    const hls = join(folder, 'hls');
    await mkdir(hls);
    const out = ['-f', 'hls', '-hls_segment_type', 'fmp4', '-hls_playlist_type', 'vod', '-hls_time', '1'];
    const apart = ['-var_stream_map', 'v:0,agroup:a a:0,agroup:a', '-master_pl_name', 'master.m3u8', 'part%v.m3u8'];
    await run(
      ffmpegProgram(),
      ['-v', 'error', '-i', film, '-map', '0:v', '-map', '0:a', '-c', 'copy', ...out, ...apart],
      {
        cwd: hls,
      },
    );
    site.files('/hls', hls, await readdir(hls));
    const copy = await fetched('/hls/master.m3u8');
    const { facts, index } = await probeMedia(copy.path);
    const { index: whole } = await probeMedia(film);
    expect(facts).toMatchObject({ kind: 'video', width: 160, audioStreams: [{ codec: 'aac' }] });
    expect(index?.totalFrames).toBe(whole?.totalFrames);
    await rm(copy.path);
    // What a server lacks is no reason to call the rest a film.
    site.answer('/hls/part11.m4s', (_request, response) => response.writeHead(404).end());
    const segments = (await readdir(hls)).filter((name) => name.endsWith('.m4s'));
    expect(segments).toContain('part11.m4s');
    await expect(fetched('/hls/master.m3u8')).rejects.toMatchObject({ code: expect.stringMatching(/^SOURCE_/) });
  }, 90_000);

  /** @hardening privacy: yt-dlp reaches private addresses by a redirect or a name (SSRF) */
  it('is led to no private address, no other port and no unencrypted page', async () => {
    site.redirect('/private', `https://127.0.0.2:${site.port}/film.mp4`);
    site.redirect('/http', `http://127.0.0.1:${site.port}/film.mp4`);
    site.page(
      '/inside',
      `<html><title>x</title><meta property="og:video" content="https://127.0.0.2:${site.port}/film.mp4">`,
    );
    site.asked = [];
    for (const [path, reason] of [
      ['/private', '127.0.0.2 is not a public address'],
      ['/http', 'not encrypted'],
      ['/inside', '127.0.0.2 is not a public address'],
    ] as const) {
      await expect(fetched(path)).rejects.toMatchObject({
        code: 'SOURCE_REFUSED',
        message: expect.stringContaining(reason),
      });
    }
    expect(site.asked).not.toContain('/film.mp4');
    expect(await readdir(work)).toEqual([]);
  }, 120_000);

  it('tells what is gone from what may come back', async () => {
    site.answer('/busy', (_request, response) => response.writeHead(503).end());
    site.answer('/silent', () => undefined);
    site.answer('/cut.mp4', (_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 100_000 });
      response.write(Buffer.alloc(1000), () => response.destroy());
    });
    for (const [path, code] of [
      ['/gone', 'SOURCE_REFUSED'],
      ['/busy', 'SOURCE_UNAVAILABLE'],
      ['/silent', 'SOURCE_UNAVAILABLE'],
      ['/cut.mp4', 'SOURCE_UNAVAILABLE'],
    ] as const) {
      await expect(fetched(path, { idleTimeoutSeconds: 2 })).rejects.toMatchObject({ code });
    }
  }, 120_000);

  it('stops at the size limit, however many files and segments there are', async () => {
    site.answer('/endless.mp4', (_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4' });
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(1 << 20)));
        response.once('drain', more);
      };
      more();
    });
    await expect(fetched('/endless.mp4', { maxBytes: 3_000_000 })).rejects.toMatchObject({ code: 'TOO_LARGE' });
    // Each within the limit for one file, together past that of a run.
    const segment = Buffer.alloc(2_900_000);
    site.answer('/many.ts', (_request, response) =>
      response.writeHead(200, { 'content-type': 'video/mp2t' }).end(segment),
    );
    const names = Array.from({ length: 60 }, () => '#EXTINF:1,\n/many.ts\n').join('');
    const list = `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n${names}#EXT-X-ENDLIST\n`;
    site.answer('/many.m3u8', (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/vnd.apple.mpegurl' }).end(list),
    );
    await expect(fetched('/many.m3u8', { maxBytes: 3_000_000 })).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(await readdir(work)).toEqual([]);
  }, 120_000);

  /** @hardening privacy: yt-dlp runs plug-ins, a configuration or programs of the user */
  it('runs no plug-in and obeys no configuration of the user', async () => {
    const home = join(folder, 'home');
    const proof = join(folder, 'proof');
    const code = `open(${JSON.stringify(proof)}, 'w').write('ran')\n`;
    const plugins = join(home, '.config/yt-dlp/plugins/mine/yt_dlp_plugins');
    for (const kind of ['extractor', 'postprocessor']) {
      await mkdir(join(plugins, kind), { recursive: true });
      await writeFile(join(plugins, kind, 'mine.py'), code);
    }
    await writeFile(join(home, '.config/yt-dlp/config'), `--exec "before_dl:touch ${proof}"\n--write-info-json\n`);
    await writeFile(join(home, '.netrc'), 'machine 127.0.0.1 login a password b\n', { mode: 0o600 });
    process.env['HOME'] = home;
    try {
      // Both are obeyed where nobody forbids it.
      await run(YT_DLP ?? '', ['--version'], { env: { ...process.env, HOME: home } });
      await run(YT_DLP ?? '', ['--simulate', '--', site.url('/film.mp4').href]).catch(() => undefined);
      expect(existsSync(proof)).toBe(true);
      await rm(proof);
      const copy = await fetched('/film.mp4');
      await rm(copy.path);
      expect(existsSync(proof)).toBe(false);
    } finally {
      process.env['HOME'] = before.HOME;
    }
  }, 60_000);

  it('reads the pages of the two platforms alone', async () => {
    const refused = fetchPlatform(site.url('/film.mp4'), {
      ...{ directory: work, maxBytes: 1e7, timeoutSeconds: 60, idleTimeoutSeconds: 10, ytDlp: YT_DLP },
      ...{ localRoots: [], allowHttp: false, allowPrivateAddresses: ['127.0.0.1/32'] },
    });
    await expect(refused).rejects.toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.stringContaining('No suitable extractor'),
    });
  }, 60_000);
});
