/** @needs ffmpeg, weights, build */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { errorCode, type Job } from '@adit/contracts';
import { FilmSite, sampleMedia, transcode } from '@adit/testing';
import { EngineUnderTest } from './engine-under-test.js';

/** The real yt-dlp, of a version that set-up pins. */
const YT_DLP = process.env['ADIT_TEST_YT_DLP'];
/** Of loopback, where nobody else has the one port that films of platforms come from. */
const HOST = '127.66.0.1';
const PAGE = 'https://www.youtube.com/watch?v=abcdefghijk';
const { faces } = sampleMedia();

const site = await FilmSite.open(HOST, 443).catch((error: unknown) => errorCode(error) ?? String(error));
const lack =
  YT_DLP === undefined ? 'ADIT_TEST_YT_DLP names none' : typeof site === 'string' ? `port 443: ${site}` : null;

(lack === null ? describe : describe.skip)(`a film of a platform${lack === null ? '' : ` (skipped: ${lack})`}`, () => {
  let folder: string;
  let engine: EngineUnderTest;
  const served = site as FilmSite;
  const mined = async (source: string): Promise<Job> =>
    engine.api.ended((await engine.api.post({ sources: [source], modules: { face_recognition: {} } })).id);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-platforms-'));
    const photo = ['-loop', '1', '-t', '3', '-i', faces['SeanConnery'] ?? '', '-vf', 'scale=640:-2,format=yuv420p'];
    served.file('/film.mp4', await transcode('platform-film.mp4', [...photo, '-r', '25', '-c:v', 'libx264']));
    served.page('/watch', '<html><title>x</title><meta property="og:video" content="/film.mp4">');
    served.redirect('/inside', 'https://127.0.0.2/film.mp4');
    await writeFile(join(folder, 'ca.pem'), served.certificate);
    // yt-dlp as it is, but for the site that it reads.
    const program = join(folder, 'yt-dlp');
    const script = `#!/bin/sh
      for word; do
        shift
        case "$word" in
          youtube,vimeo) set -- "$@" generic ;;
          https://www.youtube.com/watch*) set -- "$@" https://${HOST}/watch ;;
          https://vimeo.com/*) set -- "$@" https://${HOST}/inside ;;
          *) set -- "$@" "$word" ;;
        esac
      done
      exec ${YT_DLP} "$@"\n`;
    await writeFile(program, script, { mode: 0o755 });
    const env = {
      ADIT_YT_DLP: program,
      ADIT_ALLOW_PRIVATE_ADDRESSES: `${HOST}/32`,
      SSL_CERT_FILE: join(folder, 'ca.pem'),
    };
    engine = await EngineUnderTest.start({ localRoots: [], env });
  });
  afterAll(async () => {
    await engine?.close();
    await served.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is mined as any other', async () => {
    const job = await mined(PAGE);
    expect(job).toMatchObject({ state: 'completed', media_type: 'video', errors: [] });
    expect((await engine.api.segments(job.id)).length).toBe(1);
    expect(served.asked).toEqual(expect.arrayContaining(['/watch', '/film.mp4']));
  });

  it('is refused, with the reason, where its page leads into the network here', async () => {
    const job = await mined('https://vimeo.com/1');
    expect([job.state, JSON.stringify(job.errors)]).toEqual([
      'failed',
      expect.stringContaining('127.0.0.2 is not a public address'),
    ]);
    expect(await engine.log()).not.toContain('http://adit:');
  });
});
