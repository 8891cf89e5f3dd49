// The least cost of a job: ffmpeg to raw pixels, then the networks, one run after the other, in one process.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { DEFAULT_ONNX_OPTIONS, floatTensor, ModelRepository, OnnxSession } from '@adit/inference';
import { ffmpegPath } from '@adit/media';
import { modelsRoot } from '@adit/models';
import { answer } from './child.mjs';

const repository = await ModelRepository.open({ roots: [modelsRoot()] });
const sessions = new Map();
const own = new Map();

answer({
  /** `graphs`: files that are no packaged models, by name, each with one whose input it has. */
  async load({ models, graphs = {} }) {
    for (const [name, graph] of Object.entries(graphs)) own.set(name, graph);
    for (const name of models) await sessionOf(name);
  },
  async run({ film, sizes, rate, runs }) {
    const start = performance.now();
    const frames = await decode(film, sizes, rate);
    const middle = performance.now();
    const models = {};
    for (const [name, count] of Object.entries(runs)) {
      const { session, row } = await sessionOf(name);
      const before = performance.now();
      for (let i = 0; i < count; i++) await session.run([row]);
      models[name] = (performance.now() - before) / 1000;
    }
    const end = performance.now();
    return { frames, decode: (middle - start) / 1000, networks: (end - middle) / 1000, models };
  },
  async end() {
    await repository.close();
    for (const { session } of sessions.values()) await session.release();
  },
});

/**
 * The file as it is, in the pool's settings but for the arena, which ONNX Runtime has by default: without it, what a run takes comes from
 * wherever malloc has room, and from the kernel again once answers that nobody has collected yet lie in between. Then runs take
 * twice as long or not, by luck. Warmed as the pool warms; the row is noise in the size the network takes.
 */
const SETTINGS = { ...DEFAULT_ONNX_OPTIONS, keepsMemory: true };

async function sessionOf(name) {
  const known = sessions.get(name);
  if (known) return known;
  const { file, like = name } = own.get(name) ?? {};
  const { folder, manifest } = repository.resolve(like);
  const session = await OnnxSession.load(file ?? join(folder, 'model.onnx'), SETTINGS);
  await session.warmUp(manifest.input);
  const { tensor, width, height, layout, colour } = manifest.input;
  const channels = colour === 'grey' ? 1 : 3;
  const data = Float32Array.from({ length: channels * width * height }, () => Math.random() * 2 - 1);
  const dims = layout === 'nchw' ? [channels, height, width] : [height, width, channels];
  const row = { [tensor]: floatTensor(data, dims) };
  const loaded = { session, row };
  sessions.set(name, loaded);
  return loaded;
}

/** Decodes the film once to rgb24 at each size; answers the number of frames of each. */
async function decode(film, sizes, rate) {
  const labels = sizes.map((_, i) => `[s${i}]`).join('');
  const outputs = sizes.map(({ width, height }, i) => `[s${i}]scale=${width}:${height},format=rgb24[o${i}]`);
  const child = spawn(
    await ffmpegPath(),
    [
      '-nostdin',
      '-v',
      'error',
      '-i',
      film,
      '-filter_complex',
      `fps=${rate},split=${sizes.length}${labels};${outputs.join(';')}`,
    ].concat(sizes.flatMap((_, i) => ['-map', `[o${i}]`, '-f', 'rawvideo', `pipe:${3 + i}`])),
    { stdio: ['ignore', 'ignore', 'inherit', ...sizes.map(() => 'pipe')] },
  );
  const bytes = sizes.map(() => 0);
  sizes.forEach((_, i) => child.stdio[3 + i].on('data', (data) => (bytes[i] += data.length)));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`ffmpeg ended with ${code}.`);
  return sizes.map(({ width, height }, i) => bytes[i] / (width * height * 3));
}
