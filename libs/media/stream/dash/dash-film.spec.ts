/** @needs ffmpeg */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fetchSource, type FetchOptions } from '../../fetch-source.js';
import { probeMedia } from '../../probe.js';
import { HlsServer } from '../hls/testing/hls-server.js';
import { packetHashes } from '../testing/received.js';
import { filesOf, packaged, sourceFilm } from './testing/packager.js';

let folder: string;
let made: string;
let film: string;
let server: HlsServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-dash-film-'));
  film = await sourceFilm(14);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  made = await mkdtemp(join(folder, 'film-'));
  server = await HlsServer.start();
  server.fallback = filesOf(made);
});
afterEach(() => server.stop());

function options(more: Partial<FetchOptions> = {}): FetchOptions {
  return {
    directory: join(folder, 'private'),
    ...{ localRoots: [], allowHttp: true, allowPrivateAddresses: ['127.0.0.1/32'] },
    ...{ maxBytes: 10_000_000, timeoutSeconds: 20, idleTimeoutSeconds: 5 },
    openStorage: () => Promise.reject(new Error('never asked')),
    ...more,
  };
}

describe('a film over DASH', () => {
  it.each([
    ['by a timeline', ['-use_timeline', '1']],
    ['by durations', ['-use_timeline', '0']],
    ['by a list', ['-use_template', '0', '-use_timeline', '0']],
    ['by ranges of one file', ['-single_file', '1']],
  ])('is fetched into one file with all its pictures: %s', async (_what, args) => {
    await packaged(film, made, args);
    const copy = await fetchSource(server.at('/live.mpd'), options());
    expect((await packetHashes(copy.path, 'h264')).video).toEqual((await packetHashes(film, 'h264')).video);
    const { facts } = await probeMedia(copy.path);
    expect(facts).toMatchObject({ kind: 'video', codec: 'h264', fps: { num: 25, den: 1 }, totalFrames: 350 });
    await rm(copy.path);
  });

  it('may be one file with an index', async () => {
    const text = await readFile(film);
    await writeFile(join(made, 'film.mp4'), text);
    const whole = '<BaseURL>film.mp4</BaseURL><SegmentBase indexRange="800-900"/>';
    const set = `<AdaptationSet mimeType="video/mp4"><Representation id="v">${whole}</Representation></AdaptationSet>`;
    await writeFile(join(made, 'live.mpd'), `<MPD mediaPresentationDuration="PT14S"><Period>${set}</Period></MPD>`);
    const copy = await fetchSource(server.at('/live.mpd'), options());
    expect(await readFile(copy.path)).toEqual(text);
    await rm(copy.path);
  });

  it('is bounded, and no live stream', async () => {
    await packaged(film, made, []);
    await expect(fetchSource(server.at('/live.mpd'), options({ maxBytes: 10_000 }))).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
    const text = await readFile(join(made, 'live.mpd'), 'utf8');
    const periods = text.replace(/<Period[^]*<\/Period>/, (period) => period + period.replace('id="0"', 'id="1"'));
    await writeFile(join(made, 'two.mpd'), periods.replace('init-stream', 'other-stream'));
    await expect(fetchSource(server.at('/two.mpd'), options())).rejects.toThrow(/cannot be mined as one film/);
    await writeFile(
      join(made, 'now.mpd'),
      text
        .replace('type="static"', 'type="dynamic" availabilityStartTime="2026-11-30T10:00:00Z"')
        .replace(/mediaPresentationDuration="[^"]*"/, ''),
    );
    await expect(fetchSource(server.at('/now.mpd'), options())).rejects.toThrow(/live stream/);
  });
});
