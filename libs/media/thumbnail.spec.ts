/** @needs ffmpeg */
import { mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blackPng, pdfDocument, sampleMedia, transcode, withOrientation } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import type { Admit } from './decode-memory.js';
import type { RgbImage } from './picture/decode-jpeg.js';
import { decodeImageFile } from './picture/picture.js';
import { makeThumbnail } from './thumbnail.js';

const media = sampleMedia();
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'adit-thumbnails-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function thumbnail(path: string, posterSeconds?: number): Promise<RgbImage> {
  return decodeImageFile(await makeThumbnail({ path, directory, posterSeconds }));
}

/** Brightness range of the pixels: 0 for one colour. */
function contrast({ data }: RgbImage): number {
  let low = 255;
  let high = 0;
  for (const value of data) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high - low;
}

async function saved(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, bytes);
  return path;
}

describe('a thumbnail', () => {
  it('of a picture is the picture as displayed, small, and never enlarged', async () => {
    const large = await thumbnail(media.groups['sample1']!);
    expect(Math.max(large.width, large.height)).toBe(320);
    expect(contrast(large)).toBeGreaterThan(100);
    const upright = await decodeImageFile(media.faces['cage']!);
    const turned = await thumbnail(await saved('turned.jpg', withOrientation(await readFile(media.faces['cage']!), 6)));
    expect(turned.width < turned.height).toBe(upright.height < upright.width);
    expect(await thumbnail(await saved('small.png', blackPng(20, 10)))).toMatchObject({ width: 20, height: 10 });
  });

  it('of a film is a poster without a black leader, in square pixels', async () => {
    expect(await thumbnail(media.franck)).toMatchObject({ width: 320, height: 256 });
    const leader = await transcode('leader.mp4', [
      ...['-f', 'lavfi', '-i', 'color=black:s=320x240:r=10:d=1', '-f', 'lavfi', '-i', 'testsrc2=s=320x240:r=10:d=6'],
      ...['-filter_complex', '[0][1]concat', '-c:v', 'libx264', '-g', '10', '-pix_fmt', 'yuv420p'],
    ]);
    expect(contrast(await thumbnail(leader))).toBeGreaterThan(150);
    const anamorphic = await transcode('anamorphic.ts', [
      ...['-f', 'lavfi', '-i', 'testsrc2=s=720x576:r=25:d=2', '-vf', 'setsar=64/45', '-c:v', 'mpeg2video'],
    ]);
    const { width, height } = await thumbnail(anamorphic);
    expect(Math.abs(width / height - 16 / 9)).toBeLessThan(0.02);
  });

  it('of sound is its waveform, of silence a line', async () => {
    const loud = await transcode('beeps.mp3', ['-f', 'lavfi', '-i', 'sine=f=300:b=2:d=8']);
    const wave = await thumbnail(loud);
    expect(wave).toMatchObject({ width: 320, height: 160 });
    expect(contrast(wave)).toBeGreaterThan(100);
    const silence = await transcode('silence.m4a', ['-f', 'lavfi', '-i', 'anullsrc=d=3', '-c:a', 'aac']);
    expect(await thumbnail(silence)).toMatchObject({ width: 320, height: 160 });
  });

  it('of a document is its first page', async () => {
    const path = await saved('poster.pdf', pdfDocument([{ content: '1 0 0 rg 0 421 595 421 re f' }, {}]));
    const shown = await thumbnail(path);
    expect(shown).toMatchObject({ width: 226, height: 320 });
    expect(contrast(shown)).toBeGreaterThan(100);
  });

  it('of a document is drawn by one process', async () => {
    const path = await saved('two.pdf', pdfDocument([{ content: '1 0 0 rg 0 421 595 421 re f' }, {}]));
    // The process may neither write a file nor connect to anything, so a signal reports its start.
    const node = process.execPath;
    const signalled = join(directory, 'signalled');
    await writeFile(signalled, `#!/bin/sh\nkill -USR2 ${process.pid}\nexec ${node} "$@"\n`, { mode: 0o755 });
    let started = 0;
    const count = (): void => void (started += 1);
    process.on('SIGUSR2', count);
    process.execPath = signalled;
    try {
      expect(await thumbnail(path)).toMatchObject({ width: 226, height: 320 });
    } finally {
      process.execPath = node;
      process.off('SIGUSR2', count);
    }
    expect(started).toBe(1);
  });

  it('of a document also exists for more pages than are mined', async () => {
    const path = await saved('long.pdf', pdfDocument(Array.from({ length: 2_100 }, () => ({}))));
    expect(await thumbnail(path)).toMatchObject({ width: 226, height: 320 });
  });

  it('of a document of a single dot is as small, and that of a poster is no larger than usual', async () => {
    const dot = await saved('dot.pdf', pdfDocument([{ width: 0.1, height: 0.1 }]));
    expect(await thumbnail(dot)).toMatchObject({ width: 1, height: 1 });
    const poster = await saved('large.pdf', pdfDocument([{ width: 14_400, height: 7200 }]));
    expect(await thumbnail(poster)).toMatchObject({ width: 320, height: 160 });
  });

  it('of a long film needs its beginning and its end only', async () => {
    const film = await transcode('end-index.mp4', [
      ...['-f', 'lavfi', '-i', 'testsrc2=s=640x360:r=25:d=20', '-c:v', 'libx264', '-g', '25', '-crf', '10'],
    ]);
    const whole = await readFile(film);
    const { size } = await stat(film);
    const path = join(directory, 'sparse.mp4');
    const file = await open(path, 'w');
    // The index is at the end; the middle is a hole.
    await file.write(whole, 0, Math.floor(size / 3), 0);
    const tail = Math.floor(size * 0.9);
    await file.write(whole, tail, size - tail, tail);
    await file.close();
    const poster = await thumbnail(path, 3);
    expect(poster).toMatchObject({ width: 320, height: 180 });
    expect(contrast(poster)).toBeGreaterThan(150);
  });

  it('is made once there is memory for decoding', async () => {
    const sound = await transcode('beeps.mp3', ['-f', 'lavfi', '-i', 'sine=f=300:b=2:d=8']);
    for (const path of [media.groups['sample1']!, media.franck, sound]) {
      let asked = 0;
      const none: Admit = (bytes) => {
        asked = bytes;
        return Promise.reject(new AditError('UNAVAILABLE', 'no memory'));
      };
      await expect(makeThumbnail({ path, directory, admit: none })).rejects.toThrow('no memory');
      expect(asked).toBeGreaterThan(2 ** 24);
      expect(asked).toBeLessThanOrEqual(2 ** 30);
      expect(await makeThumbnail({ path, directory, admit: (_, work) => work() })).toEqual(
        await makeThumbnail({ path, directory }),
      );
    }
  });

  it('is refused for other files, damaged ones and false sizes', async () => {
    const files: [string, Uint8Array][] = [
      ['empty.jpg', Buffer.alloc(0)],
      ['page.jpg', Buffer.from('<html></html>')],
      ['list.mp4', Buffer.from('#EXTM3U\nfile:///etc/passwd\n')],
      ['cut.jpg', (await readFile(media.groups['sample1']!)).subarray(0, 3000)],
      ['cut.mp4', (await readFile(media.franck)).subarray(0, 3000)],
      ['huge.png', blackPng(30_000, 30_000, 10)],
      ['file.pdf', Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')],
    ];
    for (const [name, bytes] of files) {
      const made = makeThumbnail({ path: await saved(name, bytes), directory });
      await expect(made).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
    }
  });
});
