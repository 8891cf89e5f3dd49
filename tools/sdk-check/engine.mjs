// An engine of its own for the clients, with a folder of its own.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../servers/ports.mjs';
import { repositoryRoot } from '../setup/places.mjs';
import { SetupError } from '../setup/step.mjs';

const START_MS = 120_000;

/** Answers when it is ready: its address, an admin's key, and how to end it. */
export async function startEngine(dataDir) {
  const [port] = await freePorts(1);
  const key = `adit_${randomBytes(24).toString('base64url')}`;
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [join(repositoryRoot, 'apps/cli/dist/main.js'), 'start'], {
    env: { ...process.env, PORT: String(port), ADIT_DATA_DIR: dataDir, ADIT_API_KEY: key, ADIT_LOG_LEVEL: 'error' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  for (const end = Date.now() + START_MS; !(await isReady(url)); await sleep(250)) {
    if (child.exitCode !== null || Date.now() > end) {
      child.kill('SIGKILL');
      throw new SetupError('The engine for the clients did not start.');
    }
  }
  return {
    url,
    key,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function isReady(url) {
  const reply = await fetch(`${url}/readyz`).catch(() => null);
  return reply?.ok === true;
}
