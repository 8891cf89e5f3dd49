/** @needs ffmpeg */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AditError } from '@adit/contracts';
import { ffmpegPath, ffprobePath, openHead, type LiveHead, type LiveRun } from '@adit/media';
import { transcode } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RecordedRun, type PlacedSegment } from './recorded-run.js';
import { RecordedSound } from './recorded-sound.js';

const run = promisify(execFile);
const SECONDS = 10;
/** Beeps of 0.2 s at odd seconds. */
const BEEPS = 'aevalsrc=0.5*sin(2*PI*880*t)*gte(mod(t\\,2)\\,1)*lt(mod(t\\,2)\\,1.2):s=48000';

let directory: string;
let film: string;
let pictures: Buffer;
const { signal } = new AbortController();
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'recorded-sound-'));
  film = await transcode('recorded-sound.ts', [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25,setsar=1', '-f', 'lavfi', '-i', BEEPS, '-t', String(SECONDS)],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-sc_threshold', '0', '-pix_fmt', 'yuv420p'],
    ...['-c:a', 'aac', '-f', 'mpegts'],
  ]);
  pictures = await part('-an');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** One kind of the film's streams, with its times. */
async function part(...options: string[]): Promise<Buffer> {
  const path = join(directory, `${Math.random()}.ts`);
  const args = ['-v', 'error', '-copyts', '-i', film, '-c', 'copy', ...options];
  await run(await ffmpegPath(), [...args, '-muxdelay', '0', '-muxpreload', '0', '-f', 'mpegts', path]);
  return readFile(path);
}

function liveRun(body: Buffer, container: LiveRun['container'] = 'mpegts'): LiveRun {
  return { container, body: Readable.from([body]), isSegmented: true, statedTime: null, gap: null };
}

/** Sound that yields these runs. */
async function* runsOf(...runs: (LiveRun | Promise<LiveRun>)[]): AsyncGenerator<LiveRun> {
  for (const each of runs) yield await each;
}

/** Sound whose server never answers. */
const never = (signalled: AbortSignal): AsyncGenerator<LiveRun> =>
  runsOf(new Promise((_, reject) => signalled.addEventListener('abort', () => reject(signalled.reason))));

interface Played {
  segments: PlacedSegment[];
  lost: string[];
}

interface Playing {
  /** Done before the pictures come, and before they end. */
  before?: (sound: RecordedSound) => Promise<void>;
  last?: (sound: RecordedSound) => Promise<void>;
  waitMs?: number;
}

/** Plays the pictures through a recording, faster than they are. */
async function recorded(
  open: NonNullable<LiveRun['sound']>,
  { before, last, waitMs = 20_000 }: Playing = {},
): Promise<Played> {
  const head: LiveHead = await openHead(liveRun(pictures), { directory, signal });
  const sound = new RecordedSound({ open, pictures: { start: head.start, statedTime: null }, directory, waitMs });
  const lost: string[] = [];
  const recording = new RecordedRun(head, 'mpegts', (reason) => lost.push(reason), sound);
  await recording.start();
  sound.read(signal);
  const segments: PlacedSegment[] = [];
  const reading = (async () => {
    for await (const segment of recording) segments.push(segment);
  })();
  await before?.(sound);
  const share = Math.ceil(pictures.length / (SECONDS * 25));
  for (let frame = 0; frame < SECONDS * 25; frame++) {
    recording.tap(pictures.subarray(frame * share, (frame + 1) * share));
    recording.see(frame * 40_000, frame * 40_000);
    await sleep(2);
  }
  await last?.(sound);
  recording.end();
  await reading;
  return { segments, lost };
}

/** Waits until nearly all of the sound was copied. */
async function copied(sound: RecordedSound): Promise<void> {
  for (const deadline = Date.now() + 30_000; sound.reached < SECONDS - 0.2 && Date.now() < deadline;) await sleep(20);
}

/** Streams of a recording, and seconds from its first picture at which beeps begin. */
async function heard({ segments }: Played): Promise<{ streams: string[]; beeps: number[] }> {
  const path = join(directory, 'recording.mp4');
  const [first] = segments;
  await writeFile(path, Buffer.concat([first!.init, ...segments.map(({ bytes }) => bytes)]));
  const entries = ['-show_entries', 'stream=codec_name,start_time', '-of', 'json'];
  const { stdout } = await run(await ffprobePath(), ['-v', 'error', ...entries, path]);
  const { streams } = JSON.parse(stdout) as { streams: { codec_name: string; start_time: string }[] };
  const filter = ['-map', '0:a?', '-af', 'silencedetect=noise=-30dB:d=0.3', '-f', 'null', '-'];
  const { stderr } = await run(await ffmpegPath(), ['-nostdin', '-copyts', '-i', path, ...filter]);
  const zero = Number(streams[0]?.start_time);
  const beeps = [...stderr.matchAll(/silence_end: ([\d.]+)/g)].map(([, at]) => Number(at) - zero);
  return { streams: streams.map((each) => each.codec_name), beeps };
}

function expectInStep(beeps: readonly number[]): void {
  // The end of the film ends the last silence, too.
  expect(beeps.slice(0, 5).map((at) => Math.round(at * 20) / 20)).toEqual([1, 3, 5, 7, 9]);
}

describe('the recording of pictures whose sound comes apart', () => {
  it.each([
    ['AAC', []],
    ['MP3, which is encoded', ['-c:a', 'libmp3lame']],
  ])('has it in step: %s', async (_what, codec) => {
    const sound = await part('-vn', ...codec);
    const played = await recorded(() => runsOf(liveRun(sound)), { before: copied });
    expect(played.lost).toEqual([]);
    expect(played.segments.map(({ durationUs }) => durationUs / 1e6)).toEqual([4, 4, 2]);
    expect(new Set(played.segments.map((segment) => segment.run)).size).toBe(1);
    const { streams, beeps } = await heard(played);
    expect(streams).toEqual(['h264', 'aac']);
    expectInStep(beeps);
    for (const { init, bytes } of played.segments) {
      await writeFile(join(directory, 'one.mp4'), Buffer.concat([init, bytes]));
      const { stderr } = await run(await ffmpegPath(), [
        '-v',
        'warning',
        '-i',
        join(directory, 'one.mp4'),
        '-f',
        'null',
        '-',
      ]);
      expect(stderr).toBe('');
    }
  });

  it('waits for it where it is late', async () => {
    const sound = await part('-vn');
    let isOpen = false;
    const late = async function* (): AsyncGenerator<LiveRun> {
      while (!isOpen) await sleep(20);
      yield liveRun(sound);
    };
    const last = (recording: RecordedSound): Promise<void> => {
      isOpen = true;
      return copied(recording);
    };
    expectInStep((await heard(await recorded(late, { last }))).beeps);
  });

  it('counts by the clock that both share where packed audio states it', async () => {
    const [ts, adts] = [join(directory, 'sound.ts'), join(directory, 'sound.aac')];
    await writeFile(ts, await part('-vn'));
    await run(await ffmpegPath(), ['-v', 'error', '-i', ts, '-c', 'copy', '-f', 'adts', adts]);
    const entries = ['-v', 'error', '-show_entries', 'stream=start_time', '-of', 'csv=p=0'];
    const { stdout } = await run(await ffprobePath(), [...entries, ts]);
    const tagged = { ...liveRun(await readFile(adts), 'aac'), clockOffset: -Number.parseFloat(stdout) };
    expectInStep((await heard(await recorded(() => runsOf(tagged), { before: copied }))).beeps);
  });

  it('begins anew where it sets in', async () => {
    const sound = await part('-vn');
    let isOpen = false;
    const later = async function* (): AsyncGenerator<LiveRun> {
      while (!isOpen) await sleep(20);
      yield liveRun(sound);
    };
    const [first, second] = (await recorded(never, { waitMs: 0 })).segments;
    const { start } = await openHead(liveRun(pictures), { directory, signal });
    const recording = new RecordedSound({ open: later, pictures: { start, statedTime: null }, directory, waitMs: 0 });
    recording.read(signal);
    expect(await recording.addTo(first!, first!.startUs, { hasEnded: () => false, isBehind: () => false })).toBe(first);
    isOpen = true;
    await copied(recording);
    const heardSegment = {
      ...second!,
      ...(await recording.addTo(second!, second!.startUs, { hasEnded: () => false, isBehind: () => false })),
    };
    recording.end();
    expect(heardSegment.init.equals(first!.init)).toBe(false);
    const { streams, beeps } = await heard({ segments: [heardSegment], lost: [] });
    expect(streams).toEqual(['h264', 'aac']);
    expect(beeps.slice(0, 2).map(Math.round)).toEqual([1, 3]);
  });

  it.each<[string, NonNullable<LiveRun['sound']>]>([
    [
      'cannot be reached',
      () => {
        throw new AditError('SOURCE_REFUSED', 'It lies at a private address.');
      },
    ],
    ['is none', () => runsOf(liveRun(Buffer.alloc(188 * 200, 0x47)))],
    ['never comes', never],
  ])('is that of its pictures alone where it %s', async (_what, open) => {
    const played = await recorded(open, { waitMs: 200 });
    expect((await heard(played)).streams).toEqual(['h264']);
    expect(played.segments.map(({ durationUs }) => durationUs / 1e6)).toEqual([4, 4, 2]);
  });
});
