import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { AditError } from '@adit/contracts';
import { ffprobePath } from './ffmpeg-binary.js';
import { inputAddress, inputGuard } from './ffmpeg-guard.js';

export interface ProbeRun {
  signal?: AbortSignal;
  /** Wall time in seconds. */
  timeoutSeconds?: number;
  maxPixels?: number;
}

/** Frames carry parts of the film in their error text; this much says why. */
const STDERR_BYTES = 4096;

/** Runs ffprobe over one file and returns its JSON. Throws MEDIA_INVALID with ffprobe's reason. */
export async function probeJson<T>(path: string, args: string[], options: ProbeRun = {}): Promise<T> {
  let json = '';
  await probeLines(path, [...args, '-of', 'json'], (line) => (json += line), options);
  return JSON.parse(json || '{}') as T;
}

/**
 * Runs ffprobe over one file and hands out its output line by line, so that a ten-hour film's packets never lie in
 * memory as text. Throws MEDIA_INVALID with ffprobe's reason, LIMIT_EXCEEDED when it takes too long.
 */
export async function probeLines(
  path: string,
  args: string[],
  onLine: (line: string) => void,
  options: ProbeRun = {},
): Promise<void> {
  const { signal, timeoutSeconds = 300, maxPixels } = options;
  signal?.throwIfAborted();
  const binary = await ffprobePath();
  const all = ['-v', 'error', ...inputGuard(maxPixels), ...args, inputAddress(path)];
  await new Promise<void>((resolve, reject) => {
    const child = spawn(binary, all, { stdio: ['ignore', 'pipe', 'pipe'] });
    let problem: unknown;
    let stderr = '';
    let rest = '';
    const stop = (reason: unknown) => {
      problem ??= reason;
      child.kill('SIGKILL');
    };
    const abort = () => stop(signal?.reason);
    const timer = setTimeout(
      () => stop(new AditError('LIMIT_EXCEEDED', `Probing took longer than ${timeoutSeconds} s.`)),
      timeoutSeconds * 1000,
    );
    signal?.addEventListener('abort', abort, { once: true });
    const decoder = new StringDecoder('utf8');
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      try {
        for (const line of lines) onLine(line);
      } catch (error) {
        stop(error);
      }
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < STDERR_BYTES) stderr += chunk.toString('utf8');
    });
    child.on('error', (error) => stop(new AditError('INTERNAL', `ffprobe does not start: ${error.message}`)));
    child.on('close', (code, killedBy) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      try {
        if (!problem && rest) onLine(rest);
      } catch (error) {
        problem = error;
      }
      if (problem) reject(problem);
      else if (killedBy) reject(new AditError('LIMIT_EXCEEDED', `ffprobe ended on ${killedBy}.`));
      else if (code !== 0)
        reject(new AditError('MEDIA_INVALID', `The media cannot be opened: ${shortReason(stderr, path)}.`));
      else resolve();
    });
  });
}

/** The telling line of ffmpeg's error text, without paths and addresses of memory. */
export function shortReason(stderr: string, path: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replaceAll(inputAddress(path), 'the file').replaceAll(path, 'the file'))
    .map((line) => line.replace(/^\[[^\]]* @ 0x[0-9a-f]+\]\s*/, '').trim())
    .filter(Boolean);
  const telling = lines.find((line) => /moov atom|not on whitelist|whitelist|invalid|error|fail/i.test(line));
  return (telling ?? lines.at(-1) ?? 'no reason given').replace(/\.$/, '').slice(0, 300);
}
