/** @needs ffmpeg */
import { execFile } from 'node:child_process';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ffmpegPath } from '@adit/media';
import { cachedMedia, transcode } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testStream } from './stream-test.js';

const MASTER = [
  '#EXTM3U',
  '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="one",DEFAULT=YES,URI="a.m3u8"',
  '#EXT-X-STREAM-INF:BANDWIDTH=1000000,RESOLUTION=320x180,AUDIO="a"',
  'v.m3u8',
  '',
].join('\n');

/** Segments of a second; three are there at first. */
const SECONDS = 40;

let server: Server;
let folder: string;
let radio: Buffer;
let isSilent = false;
/** When a playlist was asked for first. */
let begun: number | null = null;

/** Pictures and sound in playlists of their own. */
async function packaged(): Promise<string> {
  const args = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25,setsar=1', '-f', 'lavfi', '-i', 'sine=r=48000'];
  args.push('-t', String(SECONDS), '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-c:a', 'aac');
  args.push('-map', '0:v', '-map', '1:a', '-f', 'hls', '-hls_time', '1', '-hls_list_size', '0');
  args.push('-var_stream_map', 'v:0,agroup:a,name:v a:0,agroup:a,name:a', '-hls_segment_filename');
  return cachedMedia('stream-test-hls', args, async (path) => {
    await mkdir(path);
    const names = [join(path, '%v%03d.ts'), join(path, '%v.m3u8')];
    await promisify(execFile)(await ffmpegPath(), ['-nostdin', '-v', 'error', ...args, ...names]);
  });
}

/** A file as a server of a live stream sends it: playlists grow by a segment a second. */
async function page(path: string): Promise<Buffer | string | null> {
  if (path === '/live.m3u8') return MASTER;
  if (isSilent && path === '/a.m3u8') return null;
  const file = join(folder, path.slice(1));
  if ((await stat(file).catch(() => null)) === null) return null;
  if (!path.endsWith('.m3u8')) return readFile(file);
  begun ??= Date.now();
  const [head = '', ...segments] = (await readFile(file, 'utf8')).split('#EXTINF');
  const there = segments.slice(0, 3 + Math.floor((Date.now() - begun) / 1000));
  return [head, ...there].join('#EXTINF').replace('#EXT-X-ENDLIST', '');
}

beforeEach(() => {
  begun = null;
  isSilent = false;
});

beforeAll(async () => {
  folder = await packaged();
  const sound = ['-f', 'lavfi', '-i', 'sine=r=44100', '-ac', '2', '-t', '8', '-c:a', 'libmp3lame', '-write_xing', '0'];
  radio = await readFile(await transcode('stream-test-radio.mp3', [...sound, '-id3v2_version', '0']));
  server = createServer((request, response) => {
    const { url = '' } = request;
    // A station has no end.
    if (url === '/radio') return void response.writeHead(200).write(radio);
    void page(url).then((body) => (body === null ? response.writeHead(404).end() : response.end(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function findings(path: string): Promise<string[]> {
  const all: string[] = [];
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  for await (const { state, what } of testStream(address, { seconds: 2 })) all.push(`${state}: ${what}`);
  return all;
}

describe('adit stream test of sound', () => {
  it('hears sound in segments of its own', async () => {
    const found = await findings('/live.m3u8');
    expect(found[0]).toBe(
      'good: 320 × 180, h264, 25 frames a second; sound of aac, 1 × 48 kHz, in segments of its own',
    );
    expect(found.join('\n')).toMatch(/good: \d+ frames in [23]\.\d s\.\ngood: [123]\.\d s of sound were decoded\./);
  });

  it('says that sound in segments of its own is not there', async () => {
    isSilent = true;
    const found = await findings('/live.m3u8');
    expect(found.slice(0, 2)).toEqual([
      'good: 320 × 180, h264, 25 frames a second',
      'warning: Its sound has segments of its own, and none of it could be decoded.',
    ]);
    expect(found).not.toContainEqual(expect.stringMatching(/^bad/));
  });

  it('hears a radio station', async () => {
    const found = await findings('/radio');
    expect(found[0]).toBe('good: No pictures; sound of mp3, 2 × 44.1 kHz');
    expect(found.join('\n')).toMatch(/The first sound was decoded after/);
    expect(found.join('\n')).toMatch(/good: [1-3]\.\d s of sound were decoded\./);
    expect(found).not.toContainEqual(expect.stringMatching(/picture was decoded|frames/));
  });
});
