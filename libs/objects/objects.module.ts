import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { ObjectsConfig } from './config.js';
import { FilesystemObjectStore } from './filesystem.js';
import { OBJECT_STORE, type ObjectStore } from './port.js';

/** The one place that knows the drivers by name. */
export async function openObjectStore(config: ObjectsConfig): Promise<ObjectStore> {
  switch (config.driver) {
    case 'filesystem':
      return FilesystemObjectStore.open(config.root, config);
    case 'minio': {
      // The client is a tenth of what a process loads at its start.
      const { MinioObjectStore } = await import('./minio.js');
      return MinioObjectStore.open(config);
    }
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
