// The environment of the tasks: a folder of media, an engine that serves, and the command line as a person types it.
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AditClient } from '@adit/client';
import { pdfDocument, sampleMedia, transcode } from '@adit/testing';
import { repositoryRoot } from '../setup/places.mjs';

const program = join(repositoryRoot, 'apps/cli/dist/main.js');
const KEY = 'adit_of-the-journeys';
const START_MS = 120_000;

/** A place with an engine; `close` removes it. */
export async function openPlace() {
  const folder = await mkdtemp(join(tmpdir(), 'adit-journeys-'));
  const dataDir = join(folder, 'data');
  const port = await freePort();
  const environment = { ...process.env, ADIT_API_KEY: KEY, ADIT_DATA_DIR: dataDir, NODE_OPTIONS: '' };
  delete environment.ADIT_SERVER;
  await layOutMedia(join(folder, 'archive'));
  const options = { cwd: folder, env: environment, stdio: ['ignore', 'ignore', 'pipe'] };
  const engine = spawn(process.execPath, [program, 'start', '--port', String(port), '--local-root', folder], options);
  let said = '';
  engine.stderr.on('data', (piece) => (said += piece));
  const url = `http://127.0.0.1:${port}`;
  await untilServing(engine, url, () => said);
  return {
    folder,
    url,
    key: KEY,
    client: new AditClient({ url, apiKey: KEY }),
    adit: (...args) => adit(args, folder, environment),
    async close() {
      engine.kill('SIGTERM');
      if (engine.exitCode === null) await once(engine, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A command to its end, in the folder of the place. */
async function adit(args, cwd, env) {
  const child = spawn(process.execPath, [program, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** As an archive lies on a disk: kinds mixed, folders within folders, and a file that was copied in part. */
async function layOutMedia(archive) {
  const { groups, kennedy, franck } = sampleMedia();
  const photos = Object.values(groups);
  await mkdir(join(archive, '1961'), { recursive: true });
  await mkdir(join(archive, '../people/Ada Lovelace'), { recursive: true });
  const film = await transcode('interview.mp4', ['-ss', '20', '-t', '3', '-i', franck, '-an']);
  await cp(film, join(archive, 'interview.mp4'));
  await cp(photos[0], join(archive, '1961/photo.jpg'));
  await cp(photos[0], join(archive, '../people/Ada Lovelace/1.jpg'));
  await cp(kennedy, join(archive, '1961/speech.wav'));
  await writeFile(join(archive, 'paper.pdf'), pdfDocument([{ width: 200, height: 200 }]));
  const whole = await readFile(film);
  await writeFile(join(archive, '../copied.mp4'), whole.subarray(0, Math.floor(whole.length / 3)));
}

async function untilServing(engine, url, said) {
  const end = Date.now() + START_MS;
  while (Date.now() < end && engine.exitCode === null) {
    if ((await fetch(`${url}/readyz`).catch(() => null))?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  engine.kill('SIGKILL');
  throw new Error(`The engine did not serve:\n${said()}`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
