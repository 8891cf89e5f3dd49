import { basename, join } from 'node:path';
import { AditError, type ErrorDetail } from '@adit/contracts';
import { runChild } from '@adit/media/sandbox';
import type { Inspection } from './inspect.js';
import { refused } from './refusal.js';

export interface InspectionLimits {
  /** Wall time in seconds. */
  timeoutSeconds: number;
  /** Memory limit of reading and running it, in bytes. */
  memoryBytes: number;
}

/** Enough for models of some hundred million parameters on one slow core. */
export const INSPECTION_LIMITS: InspectionLimits = { timeoutSeconds: 120, memoryBytes: 8 * 1024 ** 3 };

/** Above any answer, since names and labels are limited when read. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Compiled beside this file; when run from source, the build is used. */
const here = import.meta.dirname;
const PROGRAMS = join(here, basename(here) === 'dist' ? '' : 'dist');

/**
 * Reads an ONNX file, checks it and runs it on noise, in a separate process with limited time and memory and without
 * network. Throws VALIDATION with its error, LIMIT_EXCEEDED when it takes too long.
 * @param path absolute
 */
export async function inspectModel(
  path: string,
  { limits = INSPECTION_LIMITS, signal }: { limits?: InspectionLimits; signal?: AbortSignal } = {},
): Promise<Inspection> {
  const text = await runInspection('inspect-process', [path], { limits, signal });
  // Written by `inspect-process.ts`.
  const answer = JSON.parse(text) as { inspection: Inspection } | { refused: string; errors?: ErrorDetail[] };
  if (!('refused' in answer)) return answer.inspection;
  const { refused: message, errors } = answer;
  throw new AditError('VALIDATION', message, errors === undefined ? {} : { errors });
}

/**
 * Returns the output of a program of this package, in a process with limited time and memory and without network.
 * Throws VALIDATION where the model crashes it, LIMIT_EXCEEDED when it takes too long.
 */
export async function runInspection(
  program: 'inspect-process' | 'rehearse-process',
  args: string[],
  { limits, signal }: { limits: InspectionLimits; signal: AbortSignal | undefined },
): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const { code, killedBy, stderr } = await runChild({
    program: process.execPath,
    args: [join(PROGRAMS, `${program}.js`), ...args],
    doing: 'Inspecting the model',
    timeoutSeconds: limits.timeoutSeconds,
    limits: { dataBytes: limits.memoryBytes, fileBytes: 0 },
    signal,
    onOutput: (piece) => {
      bytes += piece.length;
      if (bytes > MAX_ANSWER_BYTES) throw refused('Its metadata is too large.');
      pieces.push(piece);
    },
  });
  if (code === 0) return Buffer.concat(pieces).toString('utf8');
  if (killedBy === 'SIGXCPU' || killedBy === 'SIGKILL') {
    throw new AditError(
      'LIMIT_EXCEEDED',
      `Inspecting the model took more than ${limits.timeoutSeconds} s of each core.`,
    );
  }
  const memory = Math.round(limits.memoryBytes / 1024 ** 2);
  throw refused(
    `Reading or running it ended the process${killedBy === null ? '' : ` (${killedBy})`}: it may need more than ${memory} MiB. ${stderr.trim().slice(-300)}`.trim(),
  );
}
