// Common parts of S3 servers that Go builds from a published module.
import { ensurePublishedProgram, findPublishedProgram } from './go.mjs';
import { minio } from './minio.mjs';

/** The administrator of a server of the specs. */
export const ROOT = { accessKey: 'adit-test', secretKey: 'adit-test-secret' };

/** All of a server but how it is started: it stands in MinIO's place and is told of as MinIO is. */
export function publishedStore(published) {
  return {
    name: 'minio',
    title: published.title,
    given: minio.given,
    environment: minio.environment,

    find() {
      const program = findPublishedProgram(published);
      return program === null ? null : { program };
    },

    async install(step) {
      return { program: await ensurePublishedProgram(step, published) };
    },
  };
}
