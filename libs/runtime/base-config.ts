import { z } from 'zod';
import { setting } from './config.js';

/** Settings of every process of Adit; an app's schema extends it: `BaseConfig.extend({ … })`. */
export const BaseConfig = z.object({
  dataDir: setting('ADIT_DATA_DIR', z.string().min(1).default('.adit'), 'Folder of the embedded database and objects.'),
  logLevel: setting(
    'ADIT_LOG_LEVEL',
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'The least severe log line that is written.',
  ),
  logFormat: setting(
    'ADIT_LOG_FORMAT',
    z.enum(['json', 'pretty']).default('json'),
    'One JSON object per line for log collectors, or lines for people.',
  ),
  shutdownGraceSeconds: setting(
    'ADIT_SHUTDOWN_GRACE_SECONDS',
    z.number().positive().max(3600).default(25),
    'How long running work may take to end after SIGTERM; stay below the orchestrator’s own limit.',
  ),
  busDriver: setting(
    'BUS_DRIVER',
    z.enum(['in-process', 'kafka']).default('in-process'),
    'Where messages travel: within this process, or through Apache Kafka.',
  ),
  databaseDriver: setting(
    'DATABASE_DRIVER',
    z.enum(['pglite', 'postgres']).default('pglite'),
    'Where rows are kept: in the data folder, by one process, or on a PostgreSQL server.',
  ),
  objectsDriver: setting(
    'OBJECTS_DRIVER',
    z.enum(['filesystem', 'minio']).default('filesystem'),
    'Where media, frame packs, observations and pictures are kept: in the data folder, or on MinIO or another S3-compatible server.',
  ),
});
export type BaseConfig = z.infer<typeof BaseConfig>;
