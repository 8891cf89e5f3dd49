import { isRotation, MAX_ROTATE_SECONDS, MIN_ROTATE_SECONDS } from '@adit/contracts';
import { EncryptionSettings } from '@adit/encryption';
import { setting } from '@adit/runtime';
import { z } from 'zod';

/** Limits of streams that are read at the same time. */
export const StreamSettings = z.object({
  ...EncryptionSettings.shape,
  streamsPerWorkspace: setting(
    'ADIT_STREAMS_PER_WORKSPACE',
    z.int().positive().max(10_000).default(8),
    'Live streams of one workspace that are read at the same time; the others wait.',
  ),
  streamsPerRecorder: setting(
    'ADIT_STREAMS_PER_RECORDER',
    z.int().positive().max(1_000).default(16),
    'Live streams that one recorder reads at the same time.',
  ),
});
export type StreamSettings = z.infer<typeof StreamSettings>;

/** Recordings of streams. */
export const RecordingSettings = z.object({
  recordingMinutes: setting(
    'ADIT_RECORDING_MINUTES',
    z.number().min(0.1).max(720).default(60),
    'Minutes of a live stream that its recording keeps, where a job asks for one (`record`); jobs that run keep what they began with.',
  ),
});
export type RecordingSettings = z.infer<typeof RecordingSettings>;

/** Parts of streams. */
export const RotationSettings = z.object({
  streamRotateSeconds: setting(
    'ADIT_STREAM_ROTATE_SECONDS',
    z
      .int()
      .refine(
        isRotation,
        `a part has ${MIN_ROTATE_SECONDS} s to ${MAX_ROTATE_SECONDS} s (a week); 0 is one job for all`,
      )
      .default(86_400),
    `Seconds of a live stream after which its job completes and the next one goes on with it, where the job does not say (\`rotate_seconds\`) and no module has a range: ${MIN_ROTATE_SECONDS} to ${MAX_ROTATE_SECONDS}, 0 for never. Jobs that run keep what they began with.`,
  ),
});
export type RotationSettings = z.infer<typeof RotationSettings>;
