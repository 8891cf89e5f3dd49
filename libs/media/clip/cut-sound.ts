import { rename, rm } from 'node:fs/promises';
import { AditError, type AudioFacts } from '@adit/contracts';
import { runFfmpeg } from '../ffmpeg/ffmpeg-run.js';
import { containersOf } from '../sandbox/ffmpeg-guard.js';
import {
  AAC,
  CLIP_OUTPUT,
  CLIP_TIMEOUT_SECONDS,
  copiedSound,
  MAX_CLIP_BYTES,
  type ClipRequest,
} from './clip-request.js';

const MEMORY_BYTES = 2 ** 30;

/** Containers that state where each time lies; others are read from the beginning, as their seeks are guesses. */
const SEEKS = /^(mov|matroska|wav|aiff)/;

/** Cuts a recording: packets as they are where an MP4 holds them, else encoded as AAC. Throws MEDIA_INVALID. */
export async function cutSound(
  { path, span, exact, target, signal, maxBytes = MAX_CLIP_BYTES }: ClipRequest,
  facts: AudioFacts,
): Promise<void> {
  const { timeStart, timeEnd, handles } = span;
  const from = Math.max(0, timeStart - handles);
  const to = Math.min(timeEnd + handles, Math.max(facts.duration, timeEnd));
  const start = ['-ss', from.toFixed(6)];
  const isSought = SEEKS.test(facts.container);
  const part = `${target}.part`;
  try {
    const reason = await runFfmpeg({
      path,
      containers: containersOf(facts),
      inputOptions: ['-vn', '-sn', ...(isSought ? start : [])],
      outputs: [
        {
          target: part,
          options: [
            ...['-map', '0:a:0', '-vn', ...(isSought ? [] : start), '-t', Math.max(to - from, 0.001).toFixed(6)],
            ...(exact ? ['-c:a', ...AAC] : copiedSound(facts.codec, 0)),
            ...CLIP_OUTPUT,
          ],
        },
      ],
      signal,
      timeoutSeconds: CLIP_TIMEOUT_SECONDS,
      memoryBytes: MEMORY_BYTES,
      fileBytes: maxBytes,
      pastFileBytes: 'TOO_LARGE',
    });
    if (reason !== null) throw new AditError('MEDIA_INVALID', `The clip cannot be cut: ${reason}.`);
    await rename(part, target);
  } finally {
    await rm(part, { force: true });
  }
}
