import { randomBytes } from 'node:crypto';
import { objectStoreConformance } from './conformance.js';
import { MinioObjectStore } from './minio.js';

objectStoreConformance('minio', async () => {
  const store = await MinioObjectStore.open({
    driver: 'minio',
    endpoint: process.env.S3_ENDPOINT!,
    accessKey: 'adit-test',
    secretKey: 'adit-test-secret',
    bucket: `t-${randomBytes(6).toString('hex')}`,
    connectSeconds: 5,
  });
  return {
    store,
    dispose: async () => {
      await store.deletePrefix('');
      store.close();
    },
  };
});
