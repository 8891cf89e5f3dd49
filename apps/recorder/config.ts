import { CameraSettings, SourceSettings } from '@adit/media';
import { setting } from '@adit/runtime';
import { StorageSettings } from '@adit/storage';
import { StreamSettings } from '@adit/streams';
import { z } from 'zod';

/** Settings of the recorder, beside those of every process. */
export const RecorderConfig = z.object({
  ...SourceSettings.shape,
  ...CameraSettings.shape,
  ...StreamSettings.shape,
  storageBytes: StorageSettings.shape.storageBytes,
  streamChunkSeconds: setting(
    'ADIT_STREAM_CHUNK_SECONDS',
    z.number().min(0.2).max(2).default(1),
    'Seconds of a live stream that are analysed together. Less shows things sooner and costs more.',
  ),
  streamIdleSeconds: setting(
    'ADIT_STREAM_IDLE_SECONDS',
    z.number().positive().max(600).default(10),
    'How long a live stream may send nothing before its connection is opened again.',
  ),
  streamConnectSeconds: setting(
    'ADIT_STREAM_CONNECT_SECONDS',
    z.number().positive().max(86_400).default(60),
    'How long a live stream that never showed a picture is tried before its job fails.',
  ),
  streamWaitSeconds: setting(
    'ADIT_STREAM_WAIT_SECONDS',
    z.number().positive().max(2_592_000).default(3600),
    'How long a live stream that went away is waited for before its job ends.',
  ),
  streamLagSeconds: setting(
    'ADIT_STREAM_LAG_SECONDS',
    z.number().min(2).max(600).default(10),
    'How far the analysis of a live stream may fall behind before fewer of its pictures are analysed, and twice that before parts of it are left out.',
  ),
  streamDrainSeconds: setting(
    'ADIT_STREAM_DRAIN_SECONDS',
    z.number().min(0).max(3600).default(0),
    'How long a recorder that shuts down reads its streams on for other recorders to take them over without a gap; stay below ADIT_SHUTDOWN_GRACE_SECONDS. With 0, as for the only recorder, it gives them back at once.',
  ),
  streamSpoolBytes: setting(
    'ADIT_STREAM_SPOOL_BYTES',
    z
      .int()
      .positive()
      .default(64 * 1024 ** 2),
    'Pictures and sound of one live stream that are kept in memory while they cannot be stored; the oldest are left out beyond that.',
  ),
});
export type RecorderConfig = z.infer<typeof RecorderConfig>;

/** Injection token of the RecorderConfig. */
export const RECORDER_CONFIG = Symbol('RecorderConfig');
/** Injection token of this process's private folder for pictures. */
export const WORK_DIRECTORY = Symbol('WorkDirectory');
