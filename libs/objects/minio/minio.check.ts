/** The object store's conformance suite on the server that the usual settings name: `npm run servers -- --check`. */
import { BaseConfig, loadConfig } from '@adit/runtime';
import { uniqueName } from '@adit/testing';
import { z } from 'zod';
import { objectStoreConformance } from '../conformance.js';
import { MinioObjectStore } from './minio.js';
import { objectsConfig, ObjectsSettings } from '../settings.js';

const settings = loadConfig(z.object({ ...BaseConfig.shape, ...ObjectsSettings.shape }));
const config = objectsConfig({ ...settings, objectsDriver: 'minio' }, settings.dataDir);
if (config.driver !== 'minio') throw new Error('OBJECTS_DRIVER was said to be minio.');
const { bucket: given, prefix = '', ...server } = config;

objectStoreConformance('minio', async () => {
  // A bucket of its own where the key may make one; else a folder in the one that is there.
  const place = server.manageBucket
    ? { bucket: uniqueName('check') }
    : { bucket: given, prefix: `${prefix}${uniqueName('check')}/` };
  const store = await MinioObjectStore.open({ ...server, ...place });
  const dispose = async () => {
    await store.deletePrefix('');
    store.close();
  };
  return { store, dispose };
});
