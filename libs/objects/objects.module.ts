import { createLogger } from '@adit/runtime';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { MinioConfig, ObjectsConfig } from './config.js';
import { FilesystemObjectStore } from './filesystem.js';
import { OBJECT_STORE, type ObjectStore } from './port.js';

const log = createLogger('objects');

/** The one place that knows the drivers by name. */
export async function openObjectStore(config: ObjectsConfig): Promise<ObjectStore> {
  switch (config.driver) {
    case 'filesystem':
      return FilesystemObjectStore.open(config.root, config);
    case 'minio': {
      const { store, warning } = await openBucket(config);
      if (warning !== null) log.warn({ bucket: config.bucket }, warning);
      return store;
    }
  }
}

/**
 * Returns a warning for operators about how a store keeps deleted objects; null for none. Changes nothing. Throws
 * UNAVAILABLE, VALIDATION.
 */
export async function objectsWarning(config: ObjectsConfig): Promise<string | null> {
  if (config.driver === 'filesystem') return null;
  const { store, warning } = await openBucket({ ...config, manageBucket: false });
  store.close();
  return warning;
}

async function openBucket(config: MinioConfig) {
  // The client is a tenth of what a process loads at its start.
  const { MinioObjectStore } = await import('./minio/minio.js');
  const store = await MinioObjectStore.open(config);
  try {
    return { store, warning: await store.warning() };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** The process's object store: inject OBJECT_STORE. */
@Global()
@Module({})
export class ObjectsModule {
  /** Opens the store of `config`, or takes one that is open already. */
  static forRoot(config: ObjectsConfig | ObjectStore): DynamicModule {
    return {
      module: ObjectsModule,
      providers: [{ provide: OBJECT_STORE, useFactory: () => ('driver' in config ? openObjectStore(config) : config) }],
      exports: [OBJECT_STORE],
    };
  }
}
