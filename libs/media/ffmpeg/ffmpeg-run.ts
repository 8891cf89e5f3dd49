import ffmpeg from 'fluent-ffmpeg';
import { AditError } from '@adit/contracts';
import { inputAddress, inputGuard, PART_GUARD, partAddress, type FilePart } from '../sandbox/ffmpeg-guard.js';
import { runChild } from '../sandbox/run-child.js';
import { ffmpegPath } from './ffmpeg-binary.js';
import { shortReason } from './ffprobe.js';
import { lackedPart } from './needed-parts.js';

/**
 * The part of fluent-ffmpeg in use: it assembles a command line. Its methods that run ffmpeg or query features are
 * avoided: version 2.1.3 finds no filters and encoders in the lists of ffmpeg 9 and reports none.
 */
type CommandLine = Pick<
  ffmpeg.FfmpegCommand,
  'input' | 'inputOptions' | 'complexFilter' | 'output' | 'outputOptions' | '_getArguments'
>;

/** One ffmpeg run: one or more guarded inputs, at most one filter graph, any number of outputs. No other file depends on fluent-ffmpeg. */
interface FfmpegRun {
  /** Private file. */
  path: string;
  /** Demuxers that may read the file. */
  containers: readonly string[];
  /** Part that is read as a file of its own; default: the whole file. */
  part?: FilePart;
  /** Maximum pixels of a frame; default: those of an 8K film. */
  maxPixels?: number;
  /** Step of `inputGuard` that the file needs; default: the first. */
  probeStep?: number;
  /** Options in addition to those of every run. */
  inputOptions: string[];
  /** Further inputs. */
  more?: Pick<FfmpegRun, 'path' | 'containers' | 'probeStep' | 'inputOptions'>[];
  /** Left out where packets are copied. */
  filterGraph?: string;
  outputs: { target: string; options: string[] }[];
  globalOptions?: string[];
  signal?: AbortSignal;
  /** Wall time in seconds. */
  timeoutSeconds: number;
  /** Bytes of private memory; null for no limit. Enforced by the kernel on Linux, ignored elsewhere. */
  memoryBytes: number | null;
  /** Bytes of any one output file; the default fits a large picture. */
  fileBytes?: number;
  /** Error past `fileBytes` for a file that a client asked for. Default: LIMIT_EXCEEDED, as past other limits. */
  pastFileBytes?: 'TOO_LARGE';
  /** Receives the filters' standard output; an exception ends the run and is rethrown. */
  onOutput?: (piece: Buffer) => void;
}

/** A picture of 64 megapixels as JPEG or PNG takes less. */
const MAX_FILE_BYTES = 512 * 2 ** 20;

/** Messages of ffmpeg, its loader and the kernel when memory or threads were refused. */
const OUT_OF_MEMORY =
  /cannot allocate memory|out of memory|malloc of size|failed to map segment|resource temporarily unavailable/i;

/** Messages of ffmpeg's muxers for a full disk. Names in a film never end such a line. */
const DISK_FULL = /: (no space left on device|disk quota exceeded)$/im;

/** The same where the file would be larger than the limit, and the signal for it is ignored. */
const FILE_FULL = /: file too large$/im;

/**
 * Runs ffmpeg to its end. Returns null on success, else the reason, since partial output may still be useful. Throws
 * LIMIT_EXCEEDED past its limits, or TOO_LARGE as `pastFileBytes` says, UNAVAILABLE when the disk is full, INTERNAL where this build
 * of ffmpeg lacks what the run asks for, and the signal's reason on abort.
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
  if (run.pastFileBytes !== undefined && (killedBy === 'SIGXFSZ' || FILE_FULL.test(stderr))) {
    const gib = Number(((run.fileBytes ?? MAX_FILE_BYTES) / 2 ** 30).toPrecision(2));
    throw new AditError(run.pastFileBytes, `The file would be larger than ${gib} GiB.`);
  }
  if (killedBy !== null || OUT_OF_MEMORY.test(stderr)) {
    const reason = stderr.trim() === '' ? `ffmpeg ended on ${killedBy}` : shortReason(stderr, run.path);
    throw new AditError('LIMIT_EXCEEDED', `Decoding failed: ${reason}.`);
  }
  if (DISK_FULL.test(stderr)) throw new AditError('UNAVAILABLE', 'The disk that decoded media is written to is full.');
  if (code === 126 || code === 127) throw new AditError('INTERNAL', `ffmpeg does not start: ${stderr.trim()}`);
  const lacked = lackedPart(stderr);
  if (lacked !== null) {
    throw new AditError(
      'INTERNAL',
      `ffmpeg has no ${lacked}: install a complete build of it; adit doctor lists what is missing.`,
    );
  }
  return shortReason(stderr, run.path);
}

function commandLine(run: FfmpegRun): string[] {
  const { path, containers, part, maxPixels, probeStep, inputOptions, filterGraph, outputs, globalOptions } = run;
  const guard = [...inputGuard(containers, maxPixels, probeStep), ...(part === undefined ? [] : PART_GUARD)];
  return ffmpegArguments({
    input: part === undefined ? inputAddress(path) : partAddress(path, part),
    inputOptions: [...guard, ...inputOptions],
    more: run.more?.map((each) => ({
      input: inputAddress(each.path),
      inputOptions: [...inputGuard(each.containers, maxPixels, each.probeStep), ...each.inputOptions],
    })),
    filterGraph,
    outputs,
    globalOptions,
  });
}

/** Assembles the command line of a run. */
export function ffmpegArguments({
  input,
  inputOptions,
  more = [],
  filterGraph,
  outputs,
  globalOptions = [],
}: Pick<FfmpegRun, 'inputOptions' | 'filterGraph' | 'outputs' | 'globalOptions'> & {
  input: string;
  more?: { input: string; inputOptions: string[] }[] | undefined;
}): string[] {
  const command: CommandLine = ffmpeg();
  command.input(input);
  command.inputOptions(...pair(['-nostdin', '-loglevel', 'error', ...inputOptions]));
  for (const each of more) command.input(each.input).inputOptions(...pair(each.inputOptions));
  if (filterGraph !== undefined) command.complexFilter(filterGraph);
  outputs.forEach(({ target, options }, i) => {
    command.output(target).outputOptions(...pair(i === 0 ? [...options, ...globalOptions] : options));
  });
  return command._getArguments();
}

/** fluent-ffmpeg splits a lone argument at spaces; two or more are passed unchanged. */
function pair(options: string[]): [string, string, ...string[]] {
  const [first, second, ...rest] = options;
  if (first === undefined || second === undefined) throw new RangeError('Pass at least one option and its value.');
  return [first, second, ...rest];
}
