import { AditError } from '@adit/contracts';
import { FOREIGN_ADDRESS, identityOf, type ForeignServer, type ObjectsSettings } from '@adit/objects';
import { setting } from '@adit/runtime';
import { z } from 'zod';

/** Settings of the bucket whose models are served as they are published there. */
export const SyncedModelsSettings = z.object({
  syncedModels: setting(
    'ADIT_SYNCED_MODELS',
    z
      .string()
      .refine((address) => FOREIGN_ADDRESS.test(address), 'it is written s3://bucket/prefix, or file:///folder')
      .optional(),
    'A bucket, s3://bucket/prefix, or a folder that is mounted, file:///folder, in Triton’s layout: what lies there is checked and published for all workspaces.',
    { former: 'ADIT_FOLLOWED_MODELS' },
  ),
  syncedModelsSeconds: setting(
    'ADIT_SYNCED_MODELS_SECONDS',
    z.number().min(1).max(86_400).default(60),
    'Interval at which the bucket of synced models is read.',
    { former: 'ADIT_FOLLOWED_MODELS_SECONDS' },
  ),
  syncedModelsSettleSeconds: setting(
    'ADIT_SYNCED_MODELS_SETTLE_SECONDS',
    z.number().min(0).max(3_600).default(5),
    'Seconds after the last write to a version’s files before it is looked at: more where uploads of one take longer between files.',
    { former: 'ADIT_FOLLOWED_MODELS_SETTLE_SECONDS' },
  ),
  syncedModelsEndpoint: setting(
    'ADIT_SYNCED_MODELS_ENDPOINT',
    z.url({ protocol: /^https?$/ }).optional(),
    'Address of the server of that bucket. Default: S3_ENDPOINT, with its keys.',
    { former: 'ADIT_FOLLOWED_MODELS_ENDPOINT' },
  ),
  syncedModelsAccessKey: setting(
    'ADIT_SYNCED_MODELS_ACCESS_KEY',
    z.string().min(1).optional(),
    'Access key for that bucket, which it may list and read.',
    { secret: true, former: 'ADIT_FOLLOWED_MODELS_ACCESS_KEY' },
  ),
  syncedModelsSecretKey: setting(
    'ADIT_SYNCED_MODELS_SECRET_KEY',
    z.string().min(1).optional(),
    'Secret key for that bucket.',
    { secret: true, former: 'ADIT_FOLLOWED_MODELS_SECRET_KEY' },
  ),
  syncedModelsRegion: setting(
    'ADIT_SYNCED_MODELS_REGION',
    z.string().min(1).optional(),
    'Region that requests for that bucket are signed for. Default: S3_REGION.',
    { former: 'ADIT_FOLLOWED_MODELS_REGION' },
  ),
});
type SyncedModelsSettings = z.infer<typeof SyncedModelsSettings>;

/**
 * Server of the synced models bucket: the installation's own unless another is named, which gets no keys of the
 * installation's; null for a folder. Throws VALIDATION when something is missing.
 */
export function syncedServer(config: SyncedModelsSettings & Partial<ObjectsSettings>): ForeignServer | null {
  const { syncedModels, syncedModelsEndpoint, syncedModelsAccessKey, syncedModelsSecretKey } = config;
  if (syncedModels?.startsWith('s3:') !== true) return null;
  const isOther = syncedModelsEndpoint !== undefined;
  const endpoint = syncedModelsEndpoint ?? config.s3Endpoint;
  const accessKey = syncedModelsAccessKey ?? (isOther ? undefined : config.s3AccessKey);
  const secretKey = syncedModelsSecretKey ?? (isOther ? undefined : config.s3SecretKey);
  const hasKeys = accessKey !== undefined && secretKey !== undefined;
  // Who this process is, is said to the installation's own server alone.
  const isWithoutKeys = accessKey === undefined && secretKey === undefined;
  const region = config.syncedModelsRegion ?? config.s3Region ?? 'us-east-1';
  const identity = isOther || !isWithoutKeys ? null : identityOf(config, config.s3Region ?? 'us-east-1');
  if (endpoint === undefined || (!hasKeys && identity === null)) {
    throw new AditError(
      'VALIDATION',
      `ADIT_SYNCED_MODELS is ${syncedModels}: set ADIT_SYNCED_MODELS_ENDPOINT, ADIT_SYNCED_MODELS_ACCESS_KEY and ADIT_SYNCED_MODELS_SECRET_KEY.`,
    );
  }
  return {
    endpoint,
    ...(identity === null ? { accessKey, secretKey } : { identity }),
    region,
    pathStyle: config.s3PathStyle ?? true,
    idleSeconds: config.s3IdleSeconds ?? 30,
    ...(config.s3CaFile !== undefined && { caFile: config.s3CaFile }),
  };
}
