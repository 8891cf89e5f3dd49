import { EncryptionSettings } from '@adit/encryption';
import { FilmLimits, SourceSettings } from '@adit/media';
import { setting } from '@adit/runtime';
import { z } from 'zod';

/** Settings of the decoder, beside those of every process. */
export const DecoderConfig = z.object({
  ...SourceSettings.shape,
  ...FilmLimits.shape,
  ...EncryptionSettings.shape,
  maxSourceBytes: setting(
    'ADIT_MAX_SOURCE_BYTES',
    z
      .int()
      .positive()
      .default(200 * 1024 ** 3),
    'Bytes of one source; a larger one is refused.',
  ),
  fetchTimeoutSeconds: setting(
    'ADIT_FETCH_TIMEOUT_SECONDS',
    z.number().positive().default(3600),
    'How long fetching one source may take in all.',
  ),
  fetchIdleSeconds: setting(
    'ADIT_FETCH_IDLE_SECONDS',
    z.number().positive().default(30),
    'How long an origin may send nothing before it is taken for dead.',
  ),
  sourceCacheBytes: setting(
    'ADIT_SOURCE_CACHE_BYTES',
    z
      .int()
      .positive()
      .default(20 * 1024 ** 3),
    'Fetched sources kept on local disk; the least recently used go first.',
  ),
  decoderConcurrency: setting(
    'ADIT_DECODER_CONCURRENCY',
    z.int().positive().max(64).default(2),
    'Sources that one decoder opens at the same time, and as many chunks that it decodes.',
  ),
  decodeMemoryBytes: setting(
    'ADIT_DECODE_MEMORY_BYTES',
    z.int().positive().optional(),
    'Memory that decoding may take at the same time, as estimated from what is decoded; a quarter of the memory when unset.',
  ),
});
export type DecoderConfig = z.infer<typeof DecoderConfig>;

/** Injection token of the DecoderConfig. */
export const DECODER_CONFIG = Symbol('DecoderConfig');
/** Injection token of this process's private folder for fetched media. */
export const WORK_DIRECTORY = Symbol('WorkDirectory');
