/** @needs ffmpeg */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AditError, type VideoFacts } from '@adit/contracts';
import { numberedFilm, readNumber, rgbLuminance, sampleMedia, transcode } from '@adit/testing';
import { probeJson } from './ffmpeg/ffprobe.js';
import { decodeInterval, ffprobePath, openFramePackBuffer, planGrid, probeMedia, type FrameIndex } from './index.js';

let folder: string;
let film: Buffer;
let filmPath: string;
const x264 = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-preset', 'veryfast', '-bf', '3', '-g', '50'];
const source = ['-f', 'lavfi', '-i', numberedFilm({ seconds: 45 })];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-hostile-'));
  filmPath = await transcode('bframes.mp4', [...source, ...x264.slice(0, 6), '-bf', '3', '-g', '50']);
  film = await readFile(filmPath);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function put(name: string, bytes: Buffer | string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

const text: [string, string, RegExp][] = [
  ['empty.mp4', '', /empty/],
  ['hls.mp4', '#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n', /playlist/],
  ['hls-bom.mp4', '\ufeff#EXTM3U\n#EXTINF:10,\nneighbour.mp4\n', /playlist/],
  ['hls-binary.mp4', `#EXTM3U\n#EXTINF:10,\nneighbour.mp4\n${'\0'.repeat(5000)}`, /playlist/],
  ['concat.mp4', "ffconcat version 1.0\nfile 'neighbour.mp4'\n", /concatenation/],
  ['concat-bare.mp4', "file 'neighbour.mp4'\n", /concatenation/],
  ['dash.mp4', '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"></MPD>', /manifest/],
  ['ism.mp4', '<SmoothStreamingMedia MajorVersion="2"></SmoothStreamingMedia>', /manifest/],
  ['subtitles.mp4', '1\n00:00:01,000 --> 00:00:02,000\nhello\n', /subtitle/],
  ['vtt.mp4', 'WEBVTT\n\n00:01.000 --> 00:02.000\nhello\n', /subtitle/],
  ['drawing.png', '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>', /SVG/],
  ['page.mp4', '<!doctype html><html></html>', /web page/],
  ['sdp.mp4', 'v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\n', /session description/],
  ['words.mp4', 'just some words', /text/],
  ['zeros.mp4', '\0'.repeat(4000), /no media/],
];

describe('files with misleading content', () => {
  it.each(text)('%s is refused', async (name, content, reason) => {
    const path = await put(name, content);
    await expect(probeMedia(path)).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      message: expect.stringMatching(reason),
    });
  });

  it('never reaches ffmpeg with files that it would follow to others', async () => {
    // These are media, but no demuxer outside the list may run.
    for (const name of ['other.flv', 'other.asf']) {
      const path = await transcode(name, [...source, '-t', '1', ...x264.slice(0, 6)]);
      await expect(probeMedia(path)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
    }
  });

  it('lets ffmpeg read a file as what its content was recognised as, and as nothing else', async () => {
    const entries = ['-show_entries', 'format=format_name'];
    expect(await probeJson(filmPath, entries, { containers: ['mov'] })).toMatchObject({ format: expect.anything() });
    for (const containers of [['matroska'], ['mpegts', 'mxf'], []]) {
      await expect(probeJson(filmPath, entries, { containers })).rejects.toMatchObject({
        code: 'MEDIA_INVALID',
        message: expect.stringMatching(/whitelist/),
      });
    }
  });

  it('refuses a film without its index, and takes sound with a cover picture for sound', async () => {
    const cut = await put('cut.mp4', film.subarray(0, film.length / 2));
    await expect(probeMedia(cut)).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      message: expect.stringMatching(/moov/),
    });
    const sound = ['-f', 'lavfi', '-i', 'sine=d=2'];
    const song = await transcode('cover.mp3', [
      ...sound,
      '-i',
      sampleMedia().faces.audrey as string,
      '-map',
      '0',
      '-map',
      '1',
      '-c:v',
      'copy',
      '-disposition:v',
      'attached_pic',
    ]);
    expect((await probeMedia(song)).facts).toMatchObject({ kind: 'audio', codec: 'mp3', channels: 1 });
    const silent = await transcode('sound.mp4', [...sound, '-c:a', 'aac']);
    expect((await probeMedia(silent)).facts).toMatchObject({ kind: 'audio', codec: 'aac' });
  });

  it('answers any truncation of any film with facts or one of the documented errors', async () => {
    const files = [
      film,
      await readFile(await transcode('tiny.ts', [...source, '-t', '2', ...x264, '-f', 'mpegts'])),
      await readFile(
        await transcode('tiny-mpeg2.mxf', [...source, '-t', '2', '-pix_fmt', 'yuv420p', '-c:v', 'mpeg2video']),
      ),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.integer({ min: 1, max: 100 }),
        fc.array(fc.tuple(fc.nat(5000), fc.nat(255)), { maxLength: 20 }),
        async (file, share, flips) => {
          const bytes = Buffer.from(file.subarray(0, Math.floor((file.length * share) / 100)));
          for (const [where, value] of flips) if (where < bytes.length) bytes[where] = value;
          const path = await put('any.bin', bytes);
          const outcome = await probeMedia(path, { timeoutSeconds: 20 }).catch((error: unknown) => error);
          if (outcome instanceof Error) expect(outcome).toBeInstanceOf(AditError);
        },
      ),
      { numRuns: 12 },
    );
  });
});

/** Byte position of each picture of a film. */
async function packetPlaces(path: string): Promise<{ pts: number; at: number; size: number }[]> {
  const args = ['-v', 'error', '-select_streams', 'v', '-show_entries', 'packet=pts,size,pos', '-of', 'json', path];
  const { stdout } = await promisify(execFile)(await ffprobePath(), args, { maxBuffer: 64 << 20 });
  const { packets } = JSON.parse(stdout) as { packets: { pts: number; pos: string; size: string }[] };
  return packets.map(({ pts, pos, size }) => ({ pts, at: Number(pos), size: Number(size) }));
}

describe('damaged and unusual films', () => {
  async function open(path: string): Promise<{ facts: VideoFacts; index: FrameIndex }> {
    const { facts, index } = await probeMedia(path);
    return { facts: facts as VideoFacts, index: index as FrameIndex };
  }

  it('keeps true frame numbers behind a hole', async () => {
    const whole = await readFile(await transcode('hole.ts', [...source, ...x264, '-f', 'mpegts']));
    const bytes = Buffer.from(whole);
    const hole = [Math.floor(bytes.length * 0.4), Math.floor(bytes.length * 0.47)] as const;
    bytes.fill(0, ...hole);
    const path = await put('hole.ts', bytes);
    const { facts, index } = await open(path);
    const clean = await open(await put('whole.ts', whole));
    const offset = new Map<number, number>();
    clean.index.pts.forEach((pts, frame) => offset.set(pts, frame));
    let frames = 0;
    for (const interval of planGrid(index)) {
      const packs = await decodeInterval({ path, facts, index, interval, specs: [{ rate: 5, shorterSide: 'native' }] });
      const pack = await openFramePackBuffer([...packs.values()][0] as Buffer);
      for (const [i, frame] of pack.frames.entries()) {
        frames++;
        const number = offset.get(frame.pts) as number;
        // The hole is from 0.40 to 0.47; decoders may guess pictures in the groups around it.
        if (number / 1125 > 0.35 && number / 1125 < 0.55) continue;
        expect(readNumber(rgbLuminance(await pack.picture(i)))).toBe(number);
      }
    }
    expect(facts.totalFrames).toBeLessThan(1125);
    expect(frames).toBeGreaterThan(150);
  });

  it('shows fewer frames, never others, where pictures cannot be decoded', async () => {
    // The index of an MP4 still counts pictures whose bytes are lost.
    const bytes = Buffer.from(film);
    const [from, to] = [Math.floor(bytes.length * 0.4), Math.floor(bytes.length * 0.5)];
    bytes.fill(0x55, from, to);
    const path = await put('lost.mp4', bytes);
    const { facts, index } = await open(path);
    expect(facts.totalFrames).toBe(1125);
    const hurt = (await packetPlaces(filmPath))
      .filter(({ at, size }) => at + size > from && at < to)
      .map(({ pts }) => index.nearest(pts));
    // Decoders guess pictures from their neighbours until the next keyframe.
    const first = Math.max(...[...index.keyFrames].filter((key) => key <= Math.min(...hurt)));
    const healed = Math.min(...[...index.keyFrames].filter((key) => key > Math.max(...hurt)));
    let before = 0;
    let behind = 0;
    for (const interval of planGrid(index)) {
      const packs = await decodeInterval({ path, facts, index, interval, specs: [{ rate: 5, shorterSide: 'native' }] });
      const pack = await openFramePackBuffer([...packs.values()][0] as Buffer);
      for (const [i, { frame }] of pack.frames.entries()) {
        if (frame >= first && frame < healed) continue;
        if (frame < first) before++;
        else behind++;
        expect([frame, readNumber(rgbLuminance(await pack.picture(i)))]).toEqual([frame, frame]);
      }
    }
    expect(before).toBeGreaterThan(20);
    expect(behind).toBeGreaterThan(20);
  });

  it('keeps true frame numbers behind a hole among the first pictures', async () => {
    const places = await packetPlaces(filmPath);
    // The hole spans the middle of the first group of pictures to the second packet of the next one.
    const [from, to] = [places[20]!.at, places[52]!.at];
    const path = await put('lost-early.mp4', Buffer.from(film).fill(0x55, from, to));
    const { facts, index } = await open(path);
    expect(facts.totalFrames).toBe(1125);
    const [, second] = planGrid(index);
    const specs = [{ rate: 5, shorterSide: 'native' as const }];
    const packs = await decodeInterval({ path, facts, index, interval: second!, specs });
    const pack = await openFramePackBuffer([...packs.values()][0] as Buffer);
    expect(pack.frames.length).toBeGreaterThan(20);
    for (const [i, { frame }] of pack.frames.entries())
      expect(readNumber(rgbLuminance(await pack.picture(i)))).toBe(frame);
  });

  it('cuts ten minutes with one keyframe into chunks of 30 s and decodes the last of them exactly', async () => {
    const long = numberedFilm({ seconds: 600, rate: '5', width: 96, height: 48 });
    const path = await transcode('one-key-long.mp4', [
      '-f',
      'lavfi',
      '-i',
      long,
      ...x264.slice(0, 6),
      '-g',
      '9999',
      '-keyint_min',
      '9999',
      '-sc_threshold',
      '0',
    ]);
    const { facts, index } = await open(path);
    expect(index.keyFrames).toHaveLength(1);
    const grid = planGrid(index);
    expect(grid).toHaveLength(20);
    const interval = grid[19] as (typeof grid)[0];
    const packs = await decodeInterval({ path, facts, index, interval, specs: [{ rate: 1, shorterSide: 'native' }] });
    const pack = await openFramePackBuffer([...packs.values()][0] as Buffer);
    expect(pack.frames).toHaveLength(30);
    for (const [i, { frame }] of pack.frames.entries())
      expect(readNumber(rgbLuminance(await pack.picture(i)))).toBe(frame);
  });

  it('chooses the film among several streams', async () => {
    const two = [
      '-f',
      'lavfi',
      '-i',
      numberedFilm({ seconds: 12, width: 96, height: 48 }),
      ...source,
      '-f',
      'lavfi',
      '-i',
      'sine=d=12',
      '-t',
      '12',
      '-map',
      '0',
      '-map',
      '1',
      '-map',
      '2',
      '-map',
      '2',
      ...x264.slice(0, 6),
      '-c:a',
      'aac',
    ];
    const largest = await open(await transcode('two.ts', [...two, '-f', 'mpegts']));
    expect(largest.facts).toMatchObject({ stream: 1, width: 192, audioStreams: [{ codec: 'aac' }, { codec: 'aac' }] });
    const marked = await open(
      await transcode('two.mp4', [...two, '-disposition:v:0', 'default', '-disposition:v:1', '0']),
    );
    expect(marked.facts).toMatchObject({ stream: 0, width: 96 });
    const cover = await transcode('cover.mp4', [
      '-i',
      filmPath,
      '-i',
      sampleMedia().groups.sample1 as string,
      '-map',
      '1',
      '-map',
      '0',
      '-c',
      'copy',
      '-disposition:v:0',
      'attached_pic',
    ]);
    expect((await open(cover)).facts).toMatchObject({ codec: 'h264', width: 192 });
  });

  it.each([
    [
      'HD, BT.709',
      '1280x720',
      ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'],
      'bt709:out_range=tv',
    ],
    ['HD, untagged', '1280x720', [], 'bt709:out_range=tv'],
    ['SD, untagged', '320x240', [], 'bt601:out_range=tv'],
    ['full range', '320x240', ['-color_range', 'pc', '-colorspace', 'smpte170m'], 'bt601:out_range=pc'],
  ])('shows the right colours: %s', async (name, size, tags, matrix) => {
    const colour = [
      `-f`,
      'lavfi',
      '-i',
      `color=c=0xC82864:s=${size}:d=1,format=gbrp,scale=out_color_matrix=${matrix},format=yuv420p`,
    ];
    const path = await transcode(`${name.replace(/\W+/g, '-')}.mp4`, [
      ...colour,
      ...tags,
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-qp',
      '10',
    ]);
    const { facts, index } = await open(path);
    const packs = await decodeInterval({
      path,
      facts,
      index,
      interval: planGrid(index)[0] as never,
      specs: [{ rate: 1, shorterSide: 100 }],
    });
    const picture = await (await openFramePackBuffer([...packs.values()][0] as Buffer)).picture(0);
    const [r, g, b] = picture.data.subarray(3000, 3003) as unknown as [number, number, number];
    expect(Math.abs(r - 0xc8) + Math.abs(g - 0x28) + Math.abs(b - 0x64)).toBeLessThan(15);
  });

  it('tone-maps HDR to a picture of ordinary brightness', async () => {
    // Diffuse white (203 cd/m²) is 58 % of the PQ signal: 594 of 1023 in limited range.
    const grey = ['-f', 'lavfi', '-i', "color=c=black:s=320x180:d=1,format=yuv420p10le,geq=lum='594':cb=512:cr=512"];
    const tags = ['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc'];
    const path = await transcode('pq.mp4', [
      ...grey,
      ...tags,
      '-c:v',
      'libx265',
      '-preset',
      'ultrafast',
      '-x265-params',
      'log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc',
      '-tag:v',
      'hvc1',
    ]);
    const { facts, index } = await open(path);
    expect(facts).toMatchObject({ hdr: true, bitDepth: 10 });
    const packs = await decodeInterval({
      path,
      facts,
      index,
      interval: planGrid(index)[0] as never,
      specs: [{ rate: 1, shorterSide: 'native' }],
    });
    const picture = await (await openFramePackBuffer([...packs.values()][0] as Buffer)).picture(0);
    const [r, g, b] = picture.data.subarray(3000, 3003) as unknown as [number, number, number];
    expect(Math.max(r, g, b) - Math.min(r, g, b)).toBeLessThan(6);
    expect(g).toBeGreaterThan(150);
    expect(g).toBeLessThan(250);
  });

  it('stops at its limits and leaves nothing behind', async () => {
    const directory = join(folder, 'chunks');
    await mkdir(directory);
    const { facts, index } = await open(sampleMedia().franck);
    const interval = planGrid(index)[3] as never;
    const request = {
      path: sampleMedia().franck,
      facts,
      index,
      interval,
      specs: [{ rate: 25, shorterSide: 'native' as const }],
    };
    await expect(decodeInterval({ ...request, limits: { directory, timeoutSeconds: 0.05 } })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
    await expect(decodeInterval({ ...request, limits: { directory, memoryBytes: 4 << 20 } })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('deleted')), 60);
    await expect(decodeInterval({ ...request, limits: { directory }, signal: controller.signal })).rejects.toThrow(
      'deleted',
    );
    expect(await readdir(directory)).toEqual([]);
  });

  it('refuses films of absurd size before decoding', async () => {
    await expect(probeMedia(filmPath, { maxPixels: 10_000 })).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
  });
});
