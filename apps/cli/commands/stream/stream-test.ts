import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError, type VideoFacts } from '@adit/contracts';
import {
  checkLive,
  decodeLive,
  FilmPlaylistError,
  LIVE_TICKS,
  openHead,
  openLive,
  CameraSettings,
  SourceSettings,
  type LiveRun,
} from '@adit/media';
import { loadConfig } from '@adit/runtime';
import type { Finding } from '../doctor/finding.js';

interface StreamTest {
  /** Seconds to read. */
  seconds: number;
  /** File that the first picture is written to. */
  snapshot?: string;
}

/** Time without a byte after which a stream counts as silent. */
const IDLE_SECONDS = 10;
/** Delay of the first picture from which keyframes are worth a word: whoever connects waits for one. */
const LATE_SECONDS = 4;
/** Share of the frames of its own rate that a healthy stream shows. */
const COMPLETE = 0.95;
/** Any address may be tried from the machine of whoever types it. */
const ANYWHERE = {
  localRoots: [],
  allowHttp: true,
  allowPrivateAddresses: ['0.0.0.0/0', '::/0'],
  srtListenPorts: ['1-65535'],
  srtListenOpen: true,
};

/** Reads a stream for some seconds and yields what it finds, as it finds it. Never throws for the stream's faults. */
export async function* testStream(address: string, { seconds, snapshot }: StreamTest): AsyncGenerator<Finding> {
  const stop = new AbortController();
  const directory = await mkdtemp(join(tmpdir(), 'adit-stream-'));
  try {
    checkLive(address, ANYWHERE);
    const started = Date.now();
    const options = {
      ...ANYWHERE,
      ...loadConfig(CameraSettings),
      signal: stop.signal,
      idleTimeoutSeconds: IDLE_SECONDS,
    };
    for await (const run of openLive(address, options)) {
      yield* tryRun(run, { seconds, snapshot, started, directory, signal: stop.signal });
      break;
    }
    yield* refusalHere(address);
  } catch (error) {
    const { message, code } = AditError.from(error);
    if (error instanceof FilmPlaylistError) {
      yield { state: 'good', what: 'This playlist has an end: it is mined as a film.' };
    } else {
      yield { state: 'bad', what: message, ...(code === 'SOURCE_UNAVAILABLE' && { advice: UNREACHABLE }) };
    }
  } finally {
    stop.abort(new AditError('CONFLICT', 'The test is over.'));
    await rm(directory, { recursive: true, force: true });
  }
}

const LOSSES =
  'A greater latency in the address, as latency=2000 (milliseconds), gives the sender more time to repeat them.';
const UNREACHABLE = 'Is the address right, is the camera on, and does a firewall lie between?';

/** Says where the engine, by its settings on this machine, would not read what was just read. */
function* refusalHere(address: string): Generator<Finding> {
  try {
    checkLive(address, loadConfig(SourceSettings));
  } catch (error) {
    yield {
      state: 'warning',
      what: `The engine with the settings of this shell refuses it: ${AditError.from(error).message}`,
      advice: address.startsWith('srt://:')
        ? 'Ports to wait at are allowed by ADIT_SRT_LISTEN_PORTS, as 9000-9010.'
        : 'Addresses of your own network are allowed by ADIT_ALLOW_PRIVATE_ADDRESSES, as 192.168.1.0/24.',
    };
  }
}

interface RunTest extends StreamTest {
  started: number;
  directory: string;
  signal: AbortSignal;
}

async function* tryRun(run: LiveRun, test: RunTest): AsyncGenerator<Finding> {
  const { directory, signal, started } = test;
  const head = await openHead(run, { directory, signal });
  yield { state: 'good', what: described(head.facts) };
  let frames = 0;
  let missing = 0;
  let from: number | null = null;
  let end = 0;
  const decoding = {
    ...{ head, directory, signal, pieceSeconds: 1 },
    ...{ container: run.container, isSegmented: run.isSegmented },
    specs: [{ rate: 1, shorterSide: 'native' as const }],
    place: () => ({ frame: 0, us: 0, endUs: 0 }),
  };
  for await (const { interval, pictures, arrived } of decodeLive(decoding)) {
    if (from === null) {
      from = arrived;
      yield* begun(arrived - started, run.statedTime === null ? null : arrived - run.statedTime);
      const jpeg = [...pictures.values()][0]?.jpegs[0];
      if (test.snapshot !== undefined && jpeg !== undefined) {
        await writeFile(test.snapshot, jpeg);
        yield { state: 'good', what: `The first picture is in ${test.snapshot}.` };
      }
    }
    missing += Math.max(interval.ptsStart - end, 0) / LIVE_TICKS;
    end = interval.ptsEnd;
    frames += interval.frameEnd - interval.frameStart;
    if (end / LIVE_TICKS >= test.seconds) break;
  }
  yield* counted(head.facts, { frames, missing, seconds: end / LIVE_TICKS });
  const lost = run.lostPackets?.() ?? 0;
  if (lost > 0) yield { state: 'warning', what: `${lost} packets never came.`, advice: LOSSES };
}

function described({ width, height, codec, fps, interlaced, hdr, audioStreams }: VideoFacts): string {
  const [sound] = audioStreams;
  const heard =
    sound === undefined ? 'no sound' : `sound of ${sound.codec}, ${sound.channels} × ${sound.sampleRate / 1000} kHz`;
  const kinds = [...(interlaced ? ['interlaced'] : []), ...(hdr ? ['HDR'] : [])].map((kind) => `, ${kind}`).join('');
  return `${width} × ${height}, ${codec}, ${Number((fps.num / fps.den).toFixed(2))} frames a second${kinds}; ${heard}`;
}

function* begun(milliseconds: number, delay: number | null): Generator<Finding> {
  const seconds = milliseconds / 1000;
  const isLate = seconds > LATE_SECONDS;
  yield {
    state: isLate ? 'warning' : 'good',
    what: `The first picture was decoded after ${seconds.toFixed(1)} s.`,
    ...(isLate && {
      advice: 'Whoever connects waits for a keyframe: a shorter interval of keyframes (GOP) in the camera mends that.',
    }),
  };
  if (delay === null) return;
  yield { state: 'good', what: `Pictures come ${(delay / 1000).toFixed(1)} s after the time that the stream states.` };
}

function* counted(
  { fps }: VideoFacts,
  { frames, missing, seconds }: { frames: number; missing: number; seconds: number },
): Generator<Finding> {
  if (seconds === 0) return void (yield { state: 'bad', what: 'No picture could be decoded.' });
  const share = frames / ((seconds * fps.num) / fps.den);
  yield {
    state: share < COMPLETE ? 'warning' : 'good',
    what: `${frames} frames in ${seconds.toFixed(1)} s${missing > 0 ? `, ${missing.toFixed(1)} s of them missing` : ''}.`,
    ...(share < COMPLETE && {
      advice: 'Frames are missing: the network loses packets, or the camera sends fewer than it says.',
    }),
  };
}
