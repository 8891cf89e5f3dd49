/** @needs ffmpeg */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberedFilm, transcode, withComment } from '@adit/testing';
import { probeJson, probeLines } from './ffprobe.js';
import { makeThumbnail, probeMedia } from '../index.js';

describe('a film with a tag of 4 MB', () => {
  let folder: string;
  let path: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-ffprobe-'));
    path = join(folder, 'tagged.mp4');
    const film = ['-f', 'lavfi', '-i', numberedFilm({ seconds: 2 }), '-pix_fmt', 'yuv420p', '-c:v', 'libx264'];
    await writeFile(path, withComment(await readFile(await transcode('plain-2s.mp4', film)), 4 << 20));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** @hardening overload: A film has a tag of many megabytes */
  it('is probed like any other: its tags are not requested', async () => {
    expect((await probeMedia(path)).facts).toMatchObject({ kind: 'video', totalFrames: 50 });
    expect((await makeThumbnail({ path, directory: folder })).length).toBeGreaterThan(100);
  });

  it('is refused as soon as a caller requests the tag and it exceeds the limit', async () => {
    const tooMuch = { code: 'MEDIA_INVALID', message: expect.stringMatching(/metadata of the media exceeds/) };
    const entries = ['-show_entries', 'format_tags'];
    const run = { containers: ['mov'] };
    await expect(probeJson(path, entries, run)).rejects.toMatchObject(tooMuch);
    await expect(probeLines(path, entries, () => undefined, run)).rejects.toMatchObject(tooMuch);
  });
});
