import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { setting, type BaseConfig } from '@adit/runtime';
import { z } from 'zod';
import type { MinioConfig, ObjectsConfig } from './config.js';
import { identityOf, IdentitySettings } from './minio/identity-settings.js';

/** Settings of an S3-compatible server; the filesystem reads none of them. OBJECTS_DRIVER is in BaseConfig. */
export const ObjectsSettings = z.object({
  s3Endpoint: setting(
    'S3_ENDPOINT',
    z.url({ protocol: /^https?$/ }).optional(),
    'Address of MinIO or another S3-compatible server, e.g. https://minio.example.org:9000.',
  ),
  s3AccessKey: setting(
    'S3_ACCESS_KEY',
    z.string().min(1).optional(),
    'Access key of the object store. Without it and S3_SECRET_KEY the process asks for keys as what it is: S3_INSTANCE_CREDENTIALS and AWS_… say how.',
    { secret: true },
  ),
  s3SecretKey: setting('S3_SECRET_KEY', z.string().min(1).optional(), 'Secret key of the object store.', {
    secret: true,
  }),
  s3Bucket: setting(
    'S3_BUCKET',
    z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
      .default('adit'),
    'Bucket that holds all objects.',
  ),
  s3Region: setting('S3_REGION', z.string().min(1).default('us-east-1'), 'Region that requests are signed for.'),
  s3Prefix: setting(
    'S3_PREFIX',
    z
      .string()
      .regex(/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*\/?$/)
      .max(200)
      .optional(),
    'What all keys begin with, when the bucket is shared with others: `adit/`.',
  ),
  s3CaFile: setting(
    'S3_CA_FILE',
    z.string().min(1).optional(),
    'PEM file of the authority that signed the server’s certificate, when it is a private one.',
  ),
  s3PathStyle: setting(
    'S3_PATH_STYLE',
    z.boolean().default(true),
    'Bucket in the path (MinIO’s way) rather than in the host name.',
  ),
  s3ManageBucket: setting(
    'S3_MANAGE_BUCKET',
    z.boolean().default(true),
    'Make the bucket and its lifecycle rules at the start. Off where the key may not: then the bucket has to be there.',
  ),
  s3ConnectSeconds: setting(
    'S3_CONNECT_SECONDS',
    z.number().min(0).max(3600).default(60),
    'How long a starting process tries to reach the server before it gives up.',
  ),
  s3IdleSeconds: setting(
    'S3_IDLE_SECONDS',
    z.number().positive().max(600).default(30),
    'How long the server may send and take nothing before a request is given up.',
  ),
  ...IdentitySettings.shape,
});
export type ObjectsSettings = z.infer<typeof ObjectsSettings>;

/** The object store that the settings choose; files lie below `dataDir`. Throws VALIDATION when the chosen driver lacks a setting. */
export function objectsConfig(
  config: ObjectsSettings & Pick<BaseConfig, 'objectsDriver'>,
  dataDir: string,
): ObjectsConfig {
  switch (config.objectsDriver) {
    case 'filesystem':
      return { driver: 'filesystem', root: join(dataDir, 'objects') };
    case 'minio':
      return {
        driver: 'minio',
        endpoint: required('S3_ENDPOINT', config.s3Endpoint),
        ...keysOf(config),
        bucket: config.s3Bucket,
        region: config.s3Region,
        prefix: config.s3Prefix,
        caFile: config.s3CaFile,
        pathStyle: config.s3PathStyle,
        manageBucket: config.s3ManageBucket,
        connectSeconds: config.s3ConnectSeconds,
        idleSeconds: config.s3IdleSeconds,
      };
  }
}

/** Keys where they are set, else who the process is. Throws VALIDATION where it is neither. */
function keysOf(config: Partial<ObjectsSettings>): Pick<MinioConfig, 'accessKey' | 'secretKey' | 'identity'> {
  const { s3AccessKey: accessKey, s3SecretKey: secretKey } = config;
  if (accessKey === undefined && secretKey === undefined) {
    const identity = identityOf(config, config.s3Region ?? 'us-east-1');
    if (identity !== null) return { identity };
    throw new AditError(
      'VALIDATION',
      'OBJECTS_DRIVER is minio: set S3_ACCESS_KEY and S3_SECRET_KEY, or let the process have an identity: AWS_WEB_IDENTITY_TOKEN_FILE with AWS_ROLE_ARN, AWS_CONTAINER_CREDENTIALS_FULL_URI, or S3_INSTANCE_CREDENTIALS.',
    );
  }
  return { accessKey: required('S3_ACCESS_KEY', accessKey), secretKey: required('S3_SECRET_KEY', secretKey) };
}

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new AditError('VALIDATION', `OBJECTS_DRIVER is minio: set ${name}.`);
  return value;
}
