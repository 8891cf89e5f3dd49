import ffmpeg from 'fluent-ffmpeg';
import { AditError } from '@adit/contracts';
import { ffmpegPath } from './ffmpeg-binary.js';
import { shortReason } from './ffprobe.js';
import { underMemoryLimit } from './memory-limit.js';

/** One ffmpeg run: an input, one filter graph, any number of outputs. The only file that knows fluent-ffmpeg. */
export interface FfmpegRun {
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
}

/** How ffmpeg, its loader and the kernel say that memory or threads were refused. */
const OUT_OF_MEMORY =
  /killed with signal|cannot allocate memory|out of memory|malloc of size|failed to map segment|resource temporarily unavailable/i;

/**
 * Runs ffmpeg to its end. Returns null when it ended well, else why not, since what came out before may still be
 * of use. Throws LIMIT_EXCEEDED past the time or memory limit, and the signal's reason on abort.
 */
export async function runFfmpeg(run: FfmpegRun): Promise<string | null> {
  run.signal?.throwIfAborted();
  const path = await ffmpegPath();
  await learnCapabilities(path);
  const [program, ...leading] = await underMemoryLimit(path, run.memoryBytes);
  run.signal?.throwIfAborted();
  // Input options come first on the command line, so what follows prlimit can lead them: one process, limited from birth.
  const command = ffmpeg({ stdoutLines: 40 }).setFfmpegPath(program);
  command.input(run.address).inputOptions(...pair([...leading, ...run.inputOptions]));
  command.complexFilter(run.filterGraph);
  run.outputs.forEach(({ target, options }, i) => {
    command.output(target).outputOptions(...pair(i === 0 ? [...options, ...run.globalOptions] : options));
  });
  return new Promise<string | null>((resolve, reject) => {
    let problem: unknown;
    const stop = (reason: unknown) => {
      problem ??= reason;
      command.kill('SIGKILL');
    };
    const abort = () => stop(run.signal?.reason);
    const timer = setTimeout(
      () => stop(new AditError('LIMIT_EXCEEDED', `Decoding took longer than ${run.timeoutSeconds} s.`)),
      run.timeoutSeconds * 1000,
    );
    const settle = (reason: string | null, error?: unknown) => {
      clearTimeout(timer);
      run.signal?.removeEventListener('abort', abort);
      if (problem ?? error) reject(problem ?? error);
      else resolve(reason);
    };
    run.signal?.addEventListener('abort', abort, { once: true });
    command.on('start', () => {
      // Aborted while fluent-ffmpeg was still preparing: there was no process to kill yet.
      if (problem) command.kill('SIGKILL');
    });
    command.on('end', () => settle(null));
    command.on('error', (error: Error, _stdout: string | null, stderr: string | null) => {
      const text = stderr ?? '';
      if (OUT_OF_MEMORY.test(`${error.message}\n${text}`)) {
        settle(
          null,
          new AditError('LIMIT_EXCEEDED', `Decoding failed: ${shortReason(text || error.message, run.path)}.`),
        );
      } else if (/ENOENT|EACCES|spawn|cannot open shared object|prlimit: failed/.test(`${error.message}\n${text}`)) {
        settle(null, new AditError('INTERNAL', `ffmpeg does not start: ${error.message}`));
      } else {
        settle(shortReason(text || error.message, run.path));
      }
    });
    command.run();
  });
}

/** fluent-ffmpeg splits a lone argument at spaces; two or more it takes as they are. */
function pair(options: string[]): [string, string, ...string[]] {
  const [first, second, ...rest] = options;
  if (first === undefined || second === undefined) throw new RangeError('At least one option and its value.');
  return [first, second, ...rest];
}

let learnt: Promise<void> | null = null;

/**
 * fluent-ffmpeg runs its one path of this process bare, once, to learn formats and encoders: before that path is
 * prlimit's. Throws INTERNAL.
 */
function learnCapabilities(path: string): Promise<void> {
  learnt ??= new Promise<void>((resolve, reject) => {
    const fail = (error: Error): void => {
      learnt = null;
      reject(new AditError('INTERNAL', `ffmpeg does not start: ${error.message}`, { cause: error }));
    };
    const command = ffmpeg().setFfmpegPath(path);
    command.getAvailableFormats((error: Error | null) => {
      if (error) return fail(error);
      command.getAvailableEncoders((other: Error | null) => (other ? fail(other) : resolve()));
    });
  });
  return learnt;
}
