import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError, type AudioFacts, type VideoFacts } from '@adit/contracts';
import {
  CameraSettings,
  checkLive,
  decodeLive,
  FilmPlaylistError,
  isOnvif,
  LIVE_TICKS,
  liveTrack,
  openHead,
  openLive,
  SoundBeside,
  soundFacts,
  SourceSettings,
  type LiveHead,
  type LiveRun,
  type LiveSound,
  type SoundHead,
} from '@adit/media';
import { loadConfig } from '@adit/runtime';
import type { Finding } from '../doctor/finding.js';
import { largestStream } from './camera-findings.js';

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
/** Time that sound in segments of its own may take to show what it is. */
const SOUND_MILLISECONDS = 10_000;
/** Seconds by which sound may be shorter than what was read: it is heard until its last whole part. */
const ROUGH_SECONDS = 1;
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
export async function* testStream(given: string, { seconds, snapshot }: StreamTest): AsyncGenerator<Finding> {
  const stop = new AbortController();
  const directory = await mkdtemp(join(tmpdir(), 'adit-stream-'));
  try {
    const address = isOnvif(given) ? yield* largestStream(given, ANYWHERE) : given;
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
  const head = await openHead(run, { directory, signal, soundAlone: true });
  const apart = soundApart(run, head, test);
  const stream = apart ?? liveTrack(head.sounds, undefined);
  const asked = Date.now();
  yield* described(head, apart);
  const waited = Date.now() - asked;
  const read = { frames: 0, missing: 0, end: 0 };
  const heard: LiveSound['interval'][] = [];
  const decoding = {
    ...{ head, directory, signal, pieceSeconds: 1 },
    ...{ container: run.container, isSegmented: run.isSegmented },
    specs: head.kind === 'pictures' ? [{ rate: 1, shorterSide: 'native' as const }] : [],
    place: () => ({ frame: 0, us: 0, endUs: 0 }),
    ...(stream !== null && {
      sound: { stream, fromUs: 0, onSound: ({ interval }: LiveSound) => heard.push(interval) },
    }),
  };
  let isFirst = true;
  for await (const { interval, pictures, arrived } of decodeLive(decoding)) {
    if (isFirst) {
      isFirst = false;
      yield* begun(head.kind, arrived - started - waited, run.statedTime === null ? null : arrived - run.statedTime);
      const jpeg = [...pictures.values()][0]?.jpegs[0];
      if (test.snapshot !== undefined && jpeg !== undefined) {
        await writeFile(test.snapshot, jpeg);
        yield { state: 'good', what: `The first picture is in ${test.snapshot}.` };
      }
    }
    read.missing += Math.max(interval.ptsStart - read.end, 0) / LIVE_TICKS;
    read.end = interval.ptsEnd;
    read.frames += interval.frameEnd - interval.frameStart;
    if (read.end / LIVE_TICKS >= test.seconds) break;
  }
  const seconds = read.end / LIVE_TICKS;
  if (head.kind === 'pictures') yield* counted(head.facts, { ...read, seconds });
  if (stream !== null) yield* heardOf(heard, seconds);
  const lost = run.lostPackets?.() ?? 0;
  if (lost > 0) yield { state: 'warning', what: `${lost} packets never came.`, advice: LOSSES };
}

/** The sound of a run that has segments of its own; null where there is none. */
function soundApart(run: LiveRun, head: LiveHead | SoundHead, { directory, signal }: RunTest): SoundBeside | null {
  const { sound: open, statedTime, clockOffset } = run;
  if (open === undefined || head.kind === 'sound') return null;
  return new SoundBeside({ open, pictures: { start: head.start, statedTime, clockOffset }, directory, signal });
}

async function* described(head: LiveHead | SoundHead, apart: SoundBeside | null): AsyncGenerator<Finding> {
  if (head.kind === 'sound') {
    yield { state: 'good', what: `No pictures; ${soundText(head.facts)}` };
    yield { state: 'good', what: 'Modules that take sound can mine it, as speech_recognition does.' };
    return;
  }
  if (apart === null) {
    const [sound] = head.facts.audioStreams;
    yield { state: 'good', what: `${pictureText(head.facts)}; ${sound === undefined ? 'no sound' : soundText(sound)}` };
    return;
  }
  const stream = await apart.known(SOUND_MILLISECONDS);
  if (stream !== null) {
    const text = `${soundText(soundFacts(stream))}, in segments of its own`;
    return void (yield { state: 'good', what: `${pictureText(head.facts)}; ${text}` });
  }
  yield { state: 'good', what: pictureText(head.facts) };
  yield {
    state: 'warning',
    what: 'Its sound has segments of its own, and none of it could be decoded.',
    advice: 'Can the playlist of the sound be opened, and is its sound AAC, MP3 or AC-3?',
  };
}

function pictureText({ width, height, codec, fps, interlaced, hdr }: VideoFacts): string {
  const kinds = [...(interlaced ? ['interlaced'] : []), ...(hdr ? ['HDR'] : [])].map((kind) => `, ${kind}`).join('');
  return `${width} × ${height}, ${codec}, ${Number((fps.num / fps.den).toFixed(2))} frames a second${kinds}`;
}

function soundText({ codec, channels, sampleRate }: Pick<AudioFacts, 'codec' | 'channels' | 'sampleRate'>): string {
  return `sound of ${codec}, ${channels} × ${sampleRate / 1000} kHz`;
}

function* begun(kind: 'pictures' | 'sound', milliseconds: number, delay: number | null): Generator<Finding> {
  const seconds = milliseconds / 1000;
  const isLate = seconds > LATE_SECONDS;
  const [first, all] = kind === 'sound' ? ['sound', 'Sound comes'] : ['picture', 'Pictures come'];
  yield {
    state: isLate ? 'warning' : 'good',
    what: `The first ${first} was decoded after ${seconds.toFixed(1)} s.`,
    ...(isLate &&
      kind === 'pictures' && {
        advice:
          'Whoever connects waits for a keyframe: a shorter interval of keyframes (GOP) in the camera mends that.',
      }),
  };
  if (delay === null) return;
  yield { state: 'good', what: `${all} ${(delay / 1000).toFixed(1)} s after the time that the stream states.` };
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

/** Sound may be cut a little before the pictures, and be read on behind them. */
function* heardOf(parts: readonly LiveSound['interval'][], seconds: number): Generator<Finding> {
  const lengths = parts.map(({ startMs, endMs }) => Math.max(Math.min(endMs / 1000, seconds) - startMs / 1000, 0));
  const heard = lengths.reduce((sum, length) => sum + length, 0);
  const isMissing = heard < seconds * COMPLETE - ROUGH_SECONDS;
  yield {
    state: isMissing ? 'warning' : 'good',
    what: `${heard.toFixed(1)} s of sound were decoded.`,
    ...(isMissing && {
      advice: `That is less than the ${seconds.toFixed(1)} s that were read: some of it is missing, or late.`,
    }),
  };
}
