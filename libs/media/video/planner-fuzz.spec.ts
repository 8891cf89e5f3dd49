/** @needs ffmpeg */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AditError, FrameInterval, ProcessingRange, VideoFacts } from '@adit/contracts';
import { chunkStarts } from './chunk-start.js';
import { filterGraph, type GraphOutput } from './decode-graph.js';
import { checkPictures, filmFacts, hintsOf } from './film-facts.js';
import { checkFilm, DEFAULT_FILM_LIMITS, frameCheck } from '../film-limits.js';
import { FrameIndex } from './frame-index.js';
import { HeadList } from '../ffmpeg/head-frames.js';
import { statedIndex } from './index-frames.js';
import { PacketList } from './packet-list.js';
import { planGrid, planRange, sampleFrames } from '../plan.js';
import { chooseVideoStream, countOf, type ProbedFormat, type ProbedStream } from '../ffmpeg/stream-facts.js';

/** `npm run fuzz -- planner` tries 10,000. */
const CASES = Number(process.env.ADIT_FUZZ_CASES ?? 200);
const MAX_PIXELS = 64_000_000;
const limits = { ...DEFAULT_FILM_LIMITS, maxFilmFrames: 350, maxFilmChunks: 200 };

/** Numbers as a damaged or forged file makes ffprobe write them. */
const oddNumber = fc.oneof(
  fc.constantFrom('0', '-1', '1', 'N/A', '', '-9223372036854775808', '9223372036854775807', '4294967295', '1e308'),
  fc.integer({ min: -100_000, max: 100_000 }).map(String),
  fc.double().map(String),
);
const oddRational = fc.oneof(
  fc.constantFrom('0/0', '0/1', '1/0', '25/1', '30000/1001', '1/90000', '90000/1', '-25/1', '2147483647/1', 'N/A'),
  fc.constantFrom('1/2147483647', '16:11', '1:1000', '1000:1', '9007199254740993/1'),
  fc.tuple(fc.integer(), fc.integer()).map(([num, den]) => `${num}/${den}`),
);
const oddCount = fc.oneof(
  fc.constantFrom(0, -1, 1, NaN, Infinity, 0.5, 65_536, 2 ** 31, 2 ** 53),
  fc.integer({ min: -10, max: 10_000 }),
);

/** Mostly a usual stream, so that odd values get past the first check. */
const usual = <T>(value: T, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(value), weight: 24 }, { arbitrary: odd, weight: 1 });

const stream: fc.Arbitrary<ProbedStream> = fc.record({
  index: usual(0, fc.nat(64)),
  codec_type: usual('video', fc.constantFrom('audio', 'data', '')),
  codec_name: usual<string>('h264', fc.string()),
  codec_tag_string: usual<string>('avc1', fc.constantFrom('tmcd', '')),
  width: usual(640, oddCount),
  height: usual(360, oddCount),
  pix_fmt: usual<string>('yuv420p', fc.string()),
  sample_aspect_ratio: usual<string>('1:1', oddRational),
  field_order: usual<string>('progressive', fc.constantFrom('tt', 'bb', '')),
  r_frame_rate: usual<string>('25/1', oddRational),
  avg_frame_rate: usual<string>('25/1', oddRational),
  time_base: fc.oneof(
    { arbitrary: fc.constantFrom('1/90000', '1/25', '1/1000', '1/1000000', '1001/30000'), weight: 4 },
    { arbitrary: oddRational, weight: 1 },
  ),
  nb_frames: usual<string>('100', oddNumber),
  channels: oddCount,
  sample_rate: oddNumber,
  tags: fc.record({ timecode: fc.oneof(fc.constantFrom('10:00:00:00', '99:99:99:99', '00:00:00:119'), fc.string()) }),
  side_data_list: fc.array(fc.record({ rotation: fc.oneof(oddCount, oddNumber) }), { maxLength: 1 }),
});
const format: fc.Arbitrary<ProbedFormat> = fc.record({
  format_name: fc.constantFrom('mov,mp4,m4a,3gp,3g2,mj2', 'mpegts', 'mpeg', 'mxf'),
  duration: oddNumber,
});

/** Packets of a film that is cut, jumps, repeats itself, goes back, or states nothing. */
const packets = fc
  .record({
    start: fc.oneof(fc.constant(0), fc.integer({ min: -(2 ** 40), max: 2 ** 40 })),
    step: fc.constantFrom(1, 40, 3600, 1001, 1001, 900_000, 0, -1),
    keyEvery: fc.integer({ min: 1, max: 60 }),
    count: fc.integer({ min: 0, max: 400 }),
    odd: fc.array(
      fc.record({
        at: fc.nat(400),
        pts: oddNumber,
        dts: oddNumber,
        duration: oddNumber,
        flags: fc.constantFrom('K_', '__', '_D', 'KD', ''),
        jump: fc.oneof(fc.constant(0), fc.integer({ min: -(2 ** 34), max: 2 ** 34 })),
      }),
      { maxLength: 4 },
    ),
  })
  .map(({ start, step, keyEvery, count, odd }) => {
    const lines: string[] = [];
    let base = start;
    for (let i = 0; i < count; i++) {
      const change = odd.find(({ at }) => at === i);
      if (change !== undefined && change.jump !== 0) base += change.jump;
      const time = base + i * step;
      if (change === undefined || change.jump !== 0) {
        lines.push(
          `pts=${time}|dts=${time}|duration=${step}|size=900|pos=${i * 900}|flags=${i % keyEvery ? '__' : 'K_'}`,
        );
      } else {
        const { pts, dts, duration, flags } = change;
        lines.push(`pts=${pts}|dts=${dts}|duration=${duration}|size=${pts}|pos=${dts}|flags=${flags}`);
      }
    }
    return lines;
  });

const film = fc.record({
  streams: fc.array(stream, { minLength: 1, maxLength: 3 }),
  format,
  packets,
  bytes: fc.constantFrom(0, 400, 80_000, 1e12, 1e12),
  shown: fc.integer({ min: 0, max: 90 }),
  rate: fc.constantFrom(0.01, 0.5, 2, 5, 25, 1000),
  range: fc.oneof(
    fc.record({ frame_start: fc.nat(500), frame_end: fc.nat(500) }),
    fc.record({
      time_start: fc.double({ min: 0, max: 1e6, noNaN: true }),
      time_end: fc.double({ min: 0, max: 1e6, noNaN: true }),
    }),
  ),
});

type Film = typeof film extends fc.Arbitrary<infer T> ? T : never;

/** Probes as probeMedia does, without running ffprobe. */
function probed({ streams, format, packets, bytes, shown }: Film): { facts: VideoFacts; index: FrameIndex } | null {
  const video = chooseVideoStream(streams);
  if (video === undefined) return null;
  const timeBase = checkPictures(video, MAX_PIXELS);
  const check = frameCheck(bytes, limits);
  check(countOf(video.nb_frames));
  const list = new PacketList(timeBase, /mpeg/.test(format.format_name ?? '') && timeBase.den === 90_000, check);
  const head = new HeadList();
  for (const line of packets) list.add(line);
  list.finish();
  for (const line of packets.slice(0, shown)) {
    head.add(`best_effort_timestamp=${/pts=([^|]*)/.exec(line)?.[1]}|interlaced_frame=0`);
  }
  const shownFrames = head.frames();
  if (shownFrames.count === 0 || !list.agreesWith(shownFrames)) return null;
  const index = statedIndex(timeBase, list, list.frames(shownFrames.pts[0]), hintsOf(video, shownFrames));
  checkFilm(index, limits);
  return {
    facts: filmFacts(video, streams, format, {
      head: shownFrames,
      index,
      firstTimecode: null,
      soundEnds: -Infinity,
      limits,
    }),
    index,
  };
}

/** @hardening media: No film that ffprobe describes may break the planner */
describe('the planner', () => {
  it(
    'turns any ffprobe output into a plan within bounds, or a permanent error',
    () => {
      let planned = 0;
      fc.assert(
        fc.property(film, (each) => {
          try {
            const found = probed(each);
            if (found === null) return;
            checkPlan(found.facts, found.index, each);
            planned++;
          } catch (error) {
            if (!(error instanceof AditError)) throw error;
            expect(error.retryable).toBe(false);
          }
        }),
        { numRuns: CASES },
      );
      // Otherwise only the first checks were exercised.
      expect(planned).toBeGreaterThan(CASES / 20);
    },
    60_000 + CASES * 100,
  );
});

function checkPlan(facts: VideoFacts, index: FrameIndex, { rate, range }: Film): void {
  VideoFacts.parse(facts);
  expect(facts.width * facts.height).toBeLessThanOrEqual(MAX_PIXELS);
  expect(facts.totalFrames).toBeLessThanOrEqual(limits.maxFilmFrames);
  expect(facts.duration).toBeGreaterThan(0);
  expect(facts.duration).toBeLessThanOrEqual(limits.maxFilmSeconds);
  expect(index.pts.every((pts, i) => Number.isSafeInteger(pts) && (i === 0 || pts > index.pts[i - 1]!))).toBe(true);
  expect(FrameIndex.decode(index.encode())).toEqual(index);

  const grid = planGrid(index, limits);
  expect(grid.length).toBeLessThanOrEqual(limits.maxFilmChunks);
  let next = 0;
  let previous = -1;
  for (const chunk of grid) {
    FrameInterval.parse(chunk);
    expect(chunk.frameStart).toBe(next);
    next = chunk.frameEnd;
    for (const { frame, time } of sampleFrames(index, chunk, rate)) {
      expect(frame).toBeGreaterThan(previous);
      expect(Number.isFinite(time)).toBe(true);
      previous = frame;
    }
  }
  expect(next).toBe(index.totalFrames);

  for (const chunk of [grid[0]!, grid.at(-1)!]) {
    const frames = sampleFrames(index, chunk, rate).map(({ frame }) => frame);
    for (const start of chunkStarts(facts, index, chunk, chunk.frameStart)) {
      if (start.kind === 'time') expect(start.seconds.toFixed(6)).toMatch(/^-?\d+\.\d{6}$/);
    }
    if (frames.length === 0) continue;
    const outputs: GraphOutput[] = [{ width: 320, height: 180, frames }];
    const filters = new Set(['colorspace', 'bwdif'] as const);
    const graph = filterGraph({ facts, index, basePts: chunk.ptsStart, outputs, filters, countFrom: 0 });
    expect(graph).not.toMatch(/NaN|Infinity|undefined|\de[+-]?\d/);
    // MAX_ARG_STRLEN of Linux.
    expect(graph.length).toBeLessThan(128 << 10);
  }

  // Ranges that the API accepts.
  if (!ProcessingRange.safeParse(range).success) return;
  const chunks = planRange(grid, index, range);
  for (const chunk of chunks) {
    FrameInterval.parse(chunk);
    expect(chunk.frameEnd).toBeGreaterThan(chunk.frameStart);
  }
  expect(chunks.length).toBeLessThanOrEqual(grid.length);
}
