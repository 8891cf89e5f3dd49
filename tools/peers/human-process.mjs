// human-process.mjs PACKAGE FILM WIDTH HEIGHT RATE: the time of @vladmandic/human for a film's frames, as a line of JSON.
import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const [, , peer, film, ...numbers] = process.argv;
const [width, height, rate] = numbers.map(Number);
const require = createRequire(peer);
// By its place: it exports the build for a GPU alone.
const folder = join(dirname(peer), 'node_modules/@vladmandic/human');
const { Human } = require(join(folder, 'dist/human.node-wasm.js'));
const wasmPath = `${dirname(require.resolve('@tensorflow/tfjs-backend-wasm/package.json'))}/dist/`;

// It fetches its models.
const server = createServer(({ url = '' }, response) => {
  createReadStream(join(folder, 'models', basename(url))).pipe(response);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const off = { enabled: false };
const on = { enabled: true };
const human = new Human({
  ...{ backend: 'wasm', wasmPath, modelBasePath: `http://127.0.0.1:${server.address().port}/`, debug: false },
  // Every frame is looked at.
  cacheSensitivity: 0,
  face: {
    enabled: true,
    detector: { maxDetected: 10, rotation: false },
    mesh: on,
    iris: off,
    emotion: off,
    description: on,
  },
  ...{ body: off, hand: off, object: off, gesture: off, filter: off },
});
await human.load();

const filter = `fps=${rate},scale=${width}:${height}`;
const decode = ['-v', 'error', '-i', film, '-vf', filter, '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
const { stdout } = await promisify(execFile)('ffmpeg', decode, { encoding: 'buffer', maxBuffer: 2 ** 31 });
const size = width * height * 3;
const frames = Math.floor(stdout.length / size);

async function analyse(frame) {
  const pixels = new Uint8Array(stdout.subarray(frame * size, (frame + 1) * size));
  const tensor = human.tf.tensor(pixels, [1, height, width, 3], 'float32');
  const { face } = await human.detect(tensor);
  tensor.dispose();
  return face.length;
}

await analyse(0);
const cpu = process.cpuUsage();
const start = performance.now();
let faces = 0;
for (let frame = 0; frame < frames; frame++) faces += await analyse(frame);
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ frames, faces, seconds, cpu: (user + system) / 1e6 }));
server.closeAllConnections();
server.close();
