// MinIO, built from its source by Go through the module in this folder.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureGoProgram, findGoProgram } from './go.mjs';
import { here } from './installing.mjs';
import { freePorts } from './ports.mjs';

const ACCESS_KEY = 'adit-test';
const SECRET_KEY = 'adit-test-secret';
const SETTINGS = {
  MINIO_ROOT_USER: ACCESS_KEY,
  MINIO_ROOT_PASSWORD: SECRET_KEY,
  MINIO_BROWSER: 'off',
  // It would ask its makers for a newer release.
  MINIO_UPDATE: 'off',
};
const PROGRAM = {
  name: 'minio',
  title: 'MinIO',
  module: here,
  main: 'github.com/minio/minio',
  how: 'MinIO is built by Go 1.21 or newer (it fetches the Go it needs), or set S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY to a store that runs.',
};

export const minio = {
  name: 'minio',
  title: 'MinIO',

  given(env) {
    if (!env.S3_ENDPOINT) return null;
    return { endpoint: env.S3_ENDPOINT, accessKey: env.S3_ACCESS_KEY ?? '', secretKey: env.S3_SECRET_KEY ?? '' };
  },

  environment({ endpoint, accessKey, secretKey }) {
    return { S3_ENDPOINT: endpoint, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey };
  },

  find() {
    const program = findGoProgram(PROGRAM);
    return program === null ? null : { program };
  },

  async install(step) {
    return { program: await ensureGoProgram(step, PROGRAM) };
  },

  async plan({ program }, { folder, host = '127.0.0.1' }) {
    const [port, console] = await freePorts(2);
    const data = join(folder, 'data');
    mkdirSync(data);
    const endpoint = `http://${host}:${port}`;
    return {
      facts: { endpoint, accessKey: ACCESS_KEY, secretKey: SECRET_KEY },
      process: {
        command: program,
        args: ['server', data, '--address', `${host}:${port}`, '--console-address', `127.0.0.1:${console}`],
        env: { PATH: process.env.PATH, HOME: folder, ...SETTINGS },
        ready: () => healthy(endpoint),
      },
    };
  },

  contained({ port }) {
    const endpoint = `http://127.0.0.1:${port}`;
    return {
      facts: { endpoint, accessKey: ACCESS_KEY, secretKey: SECRET_KEY },
      container: { inside: 9000, command: ['server', '/data'], env: SETTINGS, ready: () => healthy(endpoint) },
    };
  },
};

async function healthy(endpoint) {
  try {
    const answer = await fetch(`${endpoint}/minio/health/ready`, { signal: AbortSignal.timeout(1_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
