import ffmpeg from 'fluent-ffmpeg';
import { AditError } from '@adit/contracts';
import { runChild } from '../sandbox/run-child.js';
import { ffmpegPath } from './ffmpeg-binary.js';
import { shortReason } from './ffprobe.js';

/**
 * What is used of fluent-ffmpeg: it puts a command line together. Nothing of it that runs ffmpeg or asks what it can do: version 2.1.3
 * finds no filters and no encoders in what ffmpeg 9 lists, and takes that for the truth.
 */
type CommandLine = Pick<
  ffmpeg.FfmpegCommand,
  'input' | 'inputOptions' | 'complexFilter' | 'output' | 'outputOptions' | '_getArguments'
>;

/** One ffmpeg run: an input, one filter graph, any number of outputs. The only file that knows fluent-ffmpeg. */
interface FfmpegRun {
  /** Private file. */
  path: string;
  /** As ffmpeg opens it. */
  address: string;
  inputOptions: string[];
  filterGraph: string;
  outputs: { target: string; options: string[] }[];
  globalOptions: string[];
  signal?: AbortSignal;
  /** Wall time in seconds. */
  timeoutSeconds: number;
  /** Bytes of private memory; null for no limit. Held by the kernel on Linux, ignored elsewhere. */
  memoryBytes: number | null;
  /** Bytes of any one file it writes; default: those of a large picture. */
  fileBytes?: number;
  /** What its filters say on standard output; what it throws ends the run and is thrown. */
  onOutput?: (piece: Buffer) => void;
}

/** A picture of 64 megapixels as JPEG or PNG has fewer. */
const MAX_FILE_BYTES = 512 * 2 ** 20;

/** How ffmpeg, its loader and the kernel say that memory or threads were refused. */
const OUT_OF_MEMORY =
  /cannot allocate memory|out of memory|malloc of size|failed to map segment|resource temporarily unavailable/i;

/** How its muxers say that the machine has no room for what they write; a film's own names never end a line of theirs. */
const DISK_FULL = /: (no space left on device|disk quota exceeded)$/im;

/**
 * Runs ffmpeg to its end. Returns null when it ended well, else why not, since what came out before may still be
 * of use. Throws LIMIT_EXCEEDED past the time or memory limit, UNAVAILABLE where the disk is full, and the signal's
 * reason on abort.
 */
export async function runFfmpeg(run: FfmpegRun): Promise<string | null> {
  run.signal?.throwIfAborted();
  const { code, killedBy, stderr } = await runChild({
    program: await ffmpegPath(),
    args: commandLine(run),
    doing: 'Decoding',
    timeoutSeconds: run.timeoutSeconds,
    limits: { dataBytes: run.memoryBytes, fileBytes: run.fileBytes ?? MAX_FILE_BYTES },
    signal: run.signal,
    onOutput: run.onOutput,
  });
  if (code === 0) return null;
  if (killedBy !== null || OUT_OF_MEMORY.test(stderr)) {
    const reason = stderr.trim() === '' ? `ffmpeg ended on ${killedBy}` : shortReason(stderr, run.path);
    throw new AditError('LIMIT_EXCEEDED', `Decoding failed: ${reason}.`);
  }
  if (DISK_FULL.test(stderr)) throw new AditError('UNAVAILABLE', 'The disk that decoded media is written to is full.');
  if (code === 126 || code === 127) throw new AditError('INTERNAL', `ffmpeg does not start: ${stderr.trim()}`);
  return shortReason(stderr, run.path);
}

function commandLine({ address, inputOptions, filterGraph, outputs, globalOptions }: FfmpegRun): string[] {
  const command: CommandLine = ffmpeg();
  command.input(address);
  command.inputOptions(...pair(inputOptions));
  command.complexFilter(filterGraph);
  outputs.forEach(({ target, options }, i) => {
    command.output(target).outputOptions(...pair(i === 0 ? [...options, ...globalOptions] : options));
  });
  return command._getArguments();
}

/** fluent-ffmpeg splits a lone argument at spaces; two or more it takes as they are. */
function pair(options: string[]): [string, string, ...string[]] {
  const [first, second, ...rest] = options;
  if (first === undefined || second === undefined) throw new RangeError('At least one option and its value.');
  return [first, second, ...rest];
}
