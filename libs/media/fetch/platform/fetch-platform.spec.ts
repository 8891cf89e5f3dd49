import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FilmSite, transcode } from '@adit/testing';
import { probeMedia } from '../../probe.js';
import { fetchSource, type FetchOptions } from '../../fetch-source.js';
import { hasLandlock } from '../../testing/has-landlock.js';
import { fetchPlatform } from './fetch-platform.js';

const PAGE = 'https://www.youtube.com/watch?v=abc';
const content = randomBytes(100_000);

let folder: string;
let work: string;
let site: FilmSite;

const CERTIFICATES = ['SSL_CERT_FILE', 'SSL_CERT_DIR'] as const;
const trusted = CERTIFICATES.map((name) => process.env[name]);

beforeAll(async () => {
  for (const name of CERTIFICATES) delete process.env[name];
  folder = await mkdtemp(join(tmpdir(), 'adit-platform-'));
  site = await FilmSite.open();
});
beforeEach(async () => {
  work = await mkdtemp(join(folder, 'work-'));
});
afterAll(async () => {
  await site.close();
  await rm(folder, { recursive: true, force: true });
  CERTIFICATES.forEach((name, i) => trusted[i] !== undefined && (process.env[name] = trusted[i]));
});

function options(ytDlp: string, more: Partial<FetchOptions> = {}): FetchOptions {
  return {
    ...{ directory: work, maxBytes: 1_000_000, timeoutSeconds: 30, idleTimeoutSeconds: 5, ytDlp },
    ...{ localRoots: [], allowHttp: false, allowPrivateAddresses: ['127.0.0.1/32'] },
    openStorage: () => Promise.reject(new Error('no storage')),
    ...more,
  };
}

let made = 0;

/** A program that stands in for yt-dlp: `body` has `output(n)`, the path of its nth file, and `told` for those it names. */
async function fake(body: string): Promise<string> {
  const path = join(folder, `yt-dlp-${++made}`);
  const program = `#!${process.execPath}
    const fs = require('node:fs'), http = require('node:http'), net = require('node:net');
    const args = process.argv.slice(2);
    const output = (n) => args[args.indexOf('--output') + 1].replace('%(autonumber)d', n);
    const told = (...files) => console.log(files.join('\\n'));
    const fail = (line, code = 1) => { console.error(line); process.exit(code); };
    ${body}`;
  await writeFile(path, program, { mode: 0o755 });
  return path;
}

const writes = (file: string): string => `fs.copyFileSync(${JSON.stringify(file)}, output(1)); told(output(1));`;

async function failure(program: string, more: Partial<FetchOptions> = {}): Promise<{ code: string; message: string }> {
  const error: unknown = await fetchSource(PAGE, options(program, more)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(await readdir(work)).toEqual([]);
  const { code, message } = error as Error & { code: string };
  return { code, message };
}

describe('yt-dlp', () => {
  it('gets one order and nothing else', async () => {
    const said = join(folder, 'said.json');
    const film = join(folder, 'film');
    await writeFile(film, content);
    process.env['ADIT_SPEC_SECRET'] = 'hunter2';
    process.env['HTTPS_PROXY'] = 'http://127.0.0.1:9';
    process.env['PYTHONPATH'] = '/somewhere';
    try {
      const program = await fake(
        `fs.writeFileSync(${JSON.stringify(said)}, JSON.stringify({ args, env: process.env })); ${writes(film)}`,
      );
      const page = 'https://youtu.be/abc?list=PL1&index=2&t=3#__youtubedl_smuggle=%7B%22to_generic%22%3Atrue%7D';
      const copy = await fetchSource(page, options(program));
      expect(await readFile(copy.path)).toEqual(content);
      expect(await readdir(work)).toEqual([copy.path.slice(work.length + 1)]);
    } finally {
      for (const name of ['ADIT_SPEC_SECRET', 'HTTPS_PROXY', 'PYTHONPATH']) delete process.env[name];
    }
    const { args, env } = JSON.parse(await readFile(said, 'utf8')) as {
      args: string[];
      env: Record<string, string>;
    };
    const inside = args[args.indexOf('--output') + 1]!.replace('/%(autonumber)d.film', '');
    expect(inside).toMatch(new RegExp(`^${work}/platform-\\w+$`));
    expect(args).toEqual([
      ...['--ignore-config', '--no-plugin-dirs', '--no-remote-components', '--no-cache-dir'],
      ...['--no-cookies', '--no-cookies-from-browser'],
      ...['--no-js-runtimes', '--js-runtimes', `node:${process.execPath}`],
      ...['--use-extractors', 'youtube,vimeo', '--no-playlist'],
      ...['--break-match-filters', 'live_status!=?is_live & live_status!=?is_upcoming & live_status!=?post_live'],
      ...['--format', 'bv*,ba', '--format-sort', 'res:1080,vcodec:h264,acodec:aac'],
      ...['--downloader', 'native', '--fixup', 'never', '--ffmpeg-location', `${inside}/none`, '--no-exec'],
      ...['--abort-on-unavailable-fragments', '--socket-timeout', '5', '--retries', '3', '--fragment-retries', '3'],
      ...['--extractor-retries', '1', '--color', 'never', '--no-warnings', '--no-progress', '--no-mtime'],
      ...['--no-simulate', '--print', 'after_move:filepath', '--output', `${inside}/%(autonumber)d.film`],
      ...['--', 'https://youtu.be/abc?t=3'],
    ]);
    const { https_proxy: proxy = '' } = env;
    expect(proxy).toMatch(/^http:\/\/adit:[\w-]{32}@127\.0\.0\.1:\d+$/);
    expect(env).toMatchObject({
      http_proxy: proxy,
      all_proxy: proxy,
      no_proxy: '',
      YTDLP_NO_PLUGINS: '1',
      TMPDIR: inside,
    });
    const known = ['PATH', 'HOME', 'LC_ALL', 'LD_LIBRARY_PATH', 'MALLOC_ARENA_MAX', 'PYTHONDONTWRITEBYTECODE'];
    const ours = [
      'http_proxy',
      'https_proxy',
      'all_proxy',
      'no_proxy',
      'YTDLP_NO_PLUGINS',
      'TMPDIR',
      'PYTHONIOENCODING',
    ];
    expect(Object.keys(env).filter((name) => ![...known, ...ours].includes(name))).toEqual([]);
  });

  /** @hardening privacy: yt-dlp reaches private addresses by a redirect or a name (SSRF) */
  it('has no way to private addresses, other ports and unencrypted pages', async () => {
    const asking = (method: string, path: string): string => `
      const { port, hostname, username, password } = new URL(process.env.https_proxy);
      const headers = { 'proxy-authorization': 'Basic ' + Buffer.from(username + ':' + password).toString('base64') };
      const asked = http.request({ port, host: hostname, method: '${method}', path: '${path}', headers });
      const said = (answer) => fail('ERROR: Tunnel connection failed: ' + answer.statusCode);
      asked.on('response', said).on('connect', said).end();`;
    for (const [method, path, reason] of [
      ['CONNECT', '169.254.169.254:443', /169\.254\.169\.254 is not a public address/],
      ['CONNECT', `127.0.0.1:${site.port}`, /leads to port \d+ of 127\.0\.0\.1, which is refused/],
      ['CONNECT', '[::ffff:7f00:1]:443', /is not a public address/],
      ['GET', `http://127.0.0.1:${site.port}/`, /not encrypted/],
    ] as const) {
      const { code, message } = await failure(await fake(asking(method, path)));
      expect(code).toBe('SOURCE_REFUSED');
      expect(message).toMatch(reason);
      expect(message).not.toContain('Tunnel');
    }
    expect(site.asked).toEqual([]);
  });

  (hasLandlock() ? it : it.skip)('cannot connect past the proxy', async () => {
    const program = await fake(`
      const say = (name) => fail('ERROR: ' + name);
      net.connect(${site.port}, '127.0.0.1', () => say('connected')).on('error', ({ code }) => say(code));`);
    expect(await failure(program)).toEqual({
      code: 'SOURCE_REFUSED',
      message: 'yt-dlp cannot get the film of www.youtube.com: EACCES.',
    });
  });

  it('carries no more than a film may have, with room for its page', async () => {
    site.answer('/endless', (_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(1 << 20)));
        response.once('drain', more);
      };
      more();
    });
    const program = await fake(`
      const tls = require('node:tls');
      const { port, hostname, username, password } = new URL(process.env.https_proxy);
      const headers = { 'proxy-authorization': 'Basic ' + Buffer.from(username + ':' + password).toString('base64') };
      http.request({ port, host: hostname, method: 'CONNECT', path: '127.0.0.1:${site.port}', headers })
        .on('connect', (answer, socket) => {
          const secure = tls.connect({ socket, rejectUnauthorized: false });
          secure.write('GET /endless HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n');
          secure.on('data', () => undefined).on('error', () => undefined).on('close', () => setTimeout(() => undefined, 60_000));
        }).end();`);
    const begun = fetchPlatform(new URL(PAGE), options(program), { extractors: ['generic'], ports: [site.port] });
    await expect(begun).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: 'The source is larger than 1000000 bytes, the limit set here.',
    });
    expect(await readdir(work)).toEqual([]);
  });

  it('ends with its time and with the job, and what it started with it', async () => {
    const pids = join(folder, 'pids');
    const program = await fake(`
      const child = require('node:child_process').spawn('sleep', ['600']);
      fs.writeFileSync(${JSON.stringify(pids)}, process.pid + ' ' + child.pid);
      setTimeout(() => undefined, 600_000);`);
    expect(await failure(program, { timeoutSeconds: 10 })).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    await expectEnded(pids);
    const stop = new AbortController();
    const begun = fetchSource(PAGE, options(program, { signal: stop.signal }));
    await rm(pids);
    while (!(await readFile(pids, 'utf8').catch(() => ''))) await sleep(20);
    stop.abort(new Error('the job was stopped'));
    await expect(begun).rejects.toThrow('the job was stopped');
    await expectEnded(pids);
    expect(await readdir(work)).toEqual([]);
  });

  it.each([
    ['told of none', ``],
    ['told of one elsewhere', `told(${JSON.stringify('/etc/passwd')}, '/etc/1.film');`],
    ['told of one that is not there', `told(output(1));`],
    ['told of a link', `fs.symlinkSync('/etc/passwd', output(1)); told(output(1));`],
    ['told of nothing', `fs.writeFileSync(output(1), ''); told(output(1));`],
    ['told of none, and left a part', `fs.writeFileSync(output(1) + '.part', 'x');`],
  ])('that ends well and %s has got no film', async (_what, body) => {
    expect(await failure(await fake(body))).toEqual({
      code: 'SOURCE_REFUSED',
      message: 'yt-dlp downloaded no film from www.youtube.com.',
    });
  });

  it('whose film is too large for one file is told so', async () => {
    const program = await fake(`
      try { fs.writeFileSync(output(1), Buffer.alloc(2_000_000)); }
      catch (error) { fail('ERROR: unable to write data: [Errno 27] File too large'); }
      told(output(1));`);
    expect(await failure(program)).toMatchObject({ code: 'TOO_LARGE' });
  });

  const private_ = '[youtube] abc: Private video. Sign in if you have been granted access to this video';
  it.each([
    [private_, 'SOURCE_REFUSED'],
    ['[youtube] abc: Video unavailable. This video has been removed by the uploader', 'SOURCE_REFUSED'],
    ['[youtube] abc: Sign in to confirm your age. This video may be inappropriate for some users.', 'SOURCE_REFUSED'],
    ['[youtube] abc: The uploader has not made this video available in your country', 'SOURCE_REFUSED'],
    ['[vimeo] 1: Unable to download JSON metadata: HTTP Error 404: Not Found', 'SOURCE_REFUSED'],
    ['[youtube] abc: This video is DRM protected', 'SOURCE_REFUSED'],
    ['Unsupported URL: https://www.youtube.com/playlist', 'SOURCE_REFUSED'],
    ['[youtube] abc: This live event will begin in 2 hours.', 'SOURCE_REFUSED'],
    ['[youtube] abc: Sign in to confirm you’re not a bot. Use --cookies', 'SOURCE_UNAVAILABLE'],
    ['[vimeo] 1: Unable to download webpage: HTTP Error 429: Too Many Requests', 'SOURCE_UNAVAILABLE'],
    ['[vimeo] 1: Unable to download webpage: HTTP Error 503: Service Unavailable', 'SOURCE_UNAVAILABLE'],
    ['unable to download video data: The read operation timed out', 'SOURCE_UNAVAILABLE'],
    ['[download] Got error: 1000 bytes read, 99000 more expected. Giving up after 3 retries', 'SOURCE_UNAVAILABLE'],
    ['unable to write data: [Errno 28] No space left on device', 'UNAVAILABLE'],
    ['MemoryError', 'LIMIT_EXCEEDED'],
  ])('that says "%s" fails with %s', async (line, code) => {
    const program = await fake(`fail(${JSON.stringify(`WARNING: [youtube] timed out\nERROR: ${line}\n`)});`);
    expect(await failure(program)).toMatchObject({ code });
  });

  it('is quoted without what is for its authors, on one line', async () => {
    const noise = '(caused by <HTTPError 404: Not Found>); please report this issue on https://x , Confirm -U';
    const program = await fake(`fail(${JSON.stringify(`ERROR: [vimeo] 1: Gone\u001b[31m\u202e now ${noise}`)});`);
    expect((await failure(program)).message).toBe(
      'yt-dlp cannot get the film of www.youtube.com: [vimeo] 1: Gone [31m now.',
    );
  });

  it('that is missing, too old, switched off or kept from a live broadcast says so', async () => {
    expect(await failure(join(folder, 'none'))).toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.stringMatching(/need yt-dlp, which is not installed: pip install "yt-dlp\[default\]"/),
    });
    expect(await failure(await fake(`fail('error: no such option: --js-runtimes', 2);`))).toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.stringContaining('need a newer yt-dlp than the one here'),
    });
    expect(await failure('off')).toMatchObject({ message: expect.stringContaining('ADIT_YT_DLP=off') });
    expect(await failure(await fake(`process.exit(101);`))).toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.stringContaining('live broadcasts of video platforms are not recorded'),
    });
  });
});

describe('pictures and sound that come apart', () => {
  const size = ['-f', 'lavfi', '-i', 'testsrc=s=64x48:d=2:r=25'];
  const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25'];
  const two = (first: string, second: string): Promise<string> =>
    fake(`fs.copyFileSync(${JSON.stringify(first)}, output(1)); fs.copyFileSync(${JSON.stringify(second)}, output(2));
      told(output(1), output(2));`);
  const sineOf = (hertz: number): string[] => ['-f', 'lavfi', '-i', `sine=frequency=${hertz}:d=2`];

  it('become one film, with their times', async () => {
    const pictures = await transcode('pictures.mp4', [...size, ...x264, '-an']);
    const sound = await transcode('sound.m4a', [...sineOf(440), '-c:a', 'aac']);
    const alone = await probeMedia(pictures);
    const copy = await fetchSource(PAGE, options(await two(pictures, sound)));
    const { facts, index } = await probeMedia(copy.path);
    expect(facts).toMatchObject({ kind: 'video', audioStreams: [{ codec: 'aac' }] });
    expect(index?.totalFrames).toBe(50);
    expect(index?.pts).toEqual(alone.index?.pts);
    const again = await fetchSource(PAGE, options(await two(pictures, sound)));
    expect(again.digest).toBe(copy.digest);
  });

  it('stay as the first file where it has sound', async () => {
    const film = await transcode('film.mp4', [...size, ...sineOf(440), ...x264, '-c:a', 'aac']);
    const sound = await transcode('sound.m4a', [...sineOf(880), '-c:a', 'aac']);
    const copy = await fetchSource(PAGE, options(await two(film, sound)));
    expect(await readFile(copy.path)).toEqual(await readFile(film));
  });

  /** @hardening privacy: A playlist or script in place of media makes ffmpeg open other files */
  it('are refused where one is a playlist, which ffmpeg would follow', async () => {
    const neighbour = await transcode('neighbour.m4a', [...sineOf(660), '-c:a', 'aac']);
    const pictures = await transcode('pictures.mp4', [...size, ...x264, '-an']);
    for (const [name, text] of [
      ['list.m3u8', `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${neighbour}\n#EXT-X-ENDLIST\n`],
      ['list.ffconcat', `ffconcat version 1.0\nfile ${neighbour}\n`],
    ] as const) {
      const list = join(folder, name);
      await writeFile(list, text);
      expect(await failure(await two(pictures, list))).toMatchObject({ code: 'MEDIA_INVALID' });
      expect(await failure(await two(list, neighbour))).toMatchObject({ code: 'MEDIA_INVALID' });
    }
  });

  it('are too large where they are so together', async () => {
    const pictures = await transcode('pictures.mp4', [...size, ...x264, '-an']);
    const sound = await transcode('sound.m4a', [...sineOf(440), '-c:a', 'aac']);
    const maxBytes = (await readFile(pictures)).length + 100;
    expect(await failure(await two(pictures, sound), { maxBytes })).toMatchObject({ code: 'TOO_LARGE' });
  });
});

async function expectEnded(file: string): Promise<void> {
  for (const pid of (await readFile(file, 'utf8')).split(' ')) {
    for (let tries = 0; tries < 100 && isRunning(Number(pid)); tries++) await sleep(20);
    expect(isRunning(Number(pid))).toBe(false);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
