import { AditError } from '@adit/contracts';
import { runChild } from '../sandbox/run-child.js';
import { ffprobePath } from './ffmpeg-binary.js';
import { DEFAULT_MEMORY_BYTES, inputAddress, inputGuard } from '../sandbox/ffmpeg-guard.js';
import { OutputLines, tooMuch } from './output-lines.js';

export interface ProbeRun {
  /** Demuxers that may read the file. */
  containers: readonly string[];
  signal?: AbortSignal;
  /** Wall time in seconds. */
  timeoutSeconds?: number;
  maxPixels?: number;
  /** Step of `inputGuard` that limits how far ffprobe reads to identify streams. Default: the first step. */
  probeStep?: number;
  /** Folder for temporary files of decoding a whole film. Default: the system's. */
  directory?: string;
}

/** A hundred times the metadata of a file with hundreds of streams; a single tag may be gigabytes. */
const MAX_JSON_BYTES = 4 << 20;

/**
 * Runs ffprobe over one file and returns its JSON. The type is the caller's claim about what its `args` request. Throws
 * as `probeLines`.
 */
export async function probeJson<T>(path: string, args: string[], options: ProbeRun): Promise<T> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const onOutput = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes > MAX_JSON_BYTES) throw tooMuch();
    pieces.push(piece);
  };
  await probe(path, [...args, '-of', 'json=compact=1'], onOutput, options);
  try {
    const json: T = JSON.parse(Buffer.concat(pieces).toString('utf8') || '{}');
    return json;
  } catch (error) {
    throw new AditError('MEDIA_INVALID', 'The output of ffprobe is no valid JSON.', { cause: error });
  }
}

/**
 * Runs ffprobe over one file and passes on its output line by line, so that the packets of a ten-hour film never lie in
 * memory as text. Throws MEDIA_INVALID with ffprobe's reason or for a line above the limit, LIMIT_EXCEEDED past the
 * time limit.
 */
export async function probeLines(
  path: string,
  args: string[],
  onLine: (line: string) => void,
  options: ProbeRun,
): Promise<void> {
  const lines = new OutputLines(onLine);
  await probe(path, args, (piece) => lines.add(piece), options);
  lines.end();
}

async function probe(
  path: string,
  args: string[],
  onOutput: (piece: Buffer) => void,
  { signal, timeoutSeconds = 300, maxPixels, probeStep, containers }: ProbeRun,
): Promise<void> {
  signal?.throwIfAborted();
  const { code, killedBy, stderr } = await runChild({
    program: await ffprobePath(),
    args: ['-v', 'error', ...inputGuard(containers, maxPixels, probeStep), ...args, inputAddress(path)],
    doing: 'Probing',
    timeoutSeconds,
    // ffprobe writes to a pipe, never to a file.
    limits: { dataBytes: DEFAULT_MEMORY_BYTES, fileBytes: 0 },
    signal,
    onOutput,
  });
  if (killedBy !== null) throw new AditError('LIMIT_EXCEEDED', `ffprobe was killed by ${killedBy}.`);
  if (code === 126 || code === 127) throw new AditError('INTERNAL', `ffprobe does not start: ${stderr.trim()}`);
  if (code !== 0) throw new AditError('MEDIA_INVALID', `The media cannot be opened: ${shortReason(stderr, path)}.`);
}

/** Returns the essential line of ffmpeg's error text, without paths and memory addresses. */
export function shortReason(stderr: string, path: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replaceAll(inputAddress(path), 'the file').replaceAll(path, 'the file'))
    .map((line) => line.replace(/^\[[^\]]* @ 0x[0-9a-f]+\]\s*/, '').trim())
    .filter(Boolean);
  const telling = lines.find((line) => /moov atom|max_streams|whitelist|invalid|error|fail/i.test(line));
  return (telling ?? lines.at(-1) ?? 'no reason given').replace(/\.$/, '').slice(0, 300);
}
