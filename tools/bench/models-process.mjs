// A pool of sessions over many models, in a process of its own: what loading and unloading cost.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { floatTensor, ModelRepository, SessionPool } from '@adit/inference';
import { modelsRoot } from '@adit/models';
import { answer } from './child.mjs';

const [folder] = process.argv.slice(2);
let repository;
let pool;
let bytes = 0;
let most = 0;
let loads = 0;

answer({
  /** Copies of `general-c` as models of their own, and a pool that holds so many of them. */
  async open({ count, held }) {
    await copies(folder, count);
    repository = await ModelRepository.open({ roots: [folder, modelsRoot()], settleMs: 0 });
    const { files } = repository.resolve('copy-0');
    const workers = 2;
    const one = workers * files.reduce((sum, { size }) => sum + size, 0);
    pool = new SessionPool({
      workers,
      maxBytes: held * one,
      observer: {
        loaded: () => void (loads += 1),
        kept: (_, size) => {
          bytes += size;
          most = Math.max(most, bytes);
        },
        evicted: (_, size) => void (bytes -= size),
      },
    });
    return { one };
  },
  /** Runs one picture through each of so many models in turn. */
  async turn({ times, count }) {
    for (let at = 0; at < times; at += 1) await look(`copy-${at % count}`);
    globalThis.gc?.();
    return { loads, bytes, most, rss: process.memoryUsage.rss() };
  },
  /** Runs a model for so many seconds, with others being loaded and unloaded meanwhile or not: runs a second. */
  async beside({ seconds, loading, count }) {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    const { network, release } = await pool.acquire(repository.resolve('general-c'));
    await Promise.all(Array.from({ length: 4 }, () => network.runPixels(picture(network))));
    delay.enable();
    const until = performance.now() + 1000 * seconds;
    let runs = 0;
    let loaded = 0;
    const running = Array.from({ length: 4 }, async () => {
      for (; performance.now() < until; runs += 1) await network.runPixels(picture(network));
    });
    const others = (async () => {
      for (; loading && performance.now() < until; loaded += 1) await look(`copy-${loaded % count}`);
    })();
    await Promise.all([...running, others]);
    delay.disable();
    release();
    return { runs: runs / seconds, loaded, delay: delay.max / 1e6 };
  },
  async end() {
    await pool.close();
    await repository.close();
  },
});

async function look(name) {
  const { network, release } = await pool.acquire(repository.resolve(name));
  try {
    await network.runPixels(picture(network));
  } finally {
    release();
  }
}

function picture({ manifest: { input } }) {
  const data = Float32Array.from({ length: 3 * input.width * input.height }, (_, at) => at % 255);
  return floatTensor(data, [input.height, input.width, 3]);
}

/** Copies of the detector that comes with Adit, each with another digest. */
async function copies(root, count) {
  const from = join(modelsRoot(), 'general-c');
  const manifest = (await readFile(join(from, 'model.yaml'), 'utf8')).replace(/^sha256:\n( .*\n)*/m, '');
  for (let at = 0; at < count; at += 1) {
    const to = join(root, `copy-${at}`);
    await mkdir(join(to, '1'), { recursive: true });
    await writeFile(join(to, 'model.yaml'), manifest.replace(/^name: .*$/m, `name: copy-${at}`));
    await copyFile(join(from, '1/model.onnx'), join(to, '1/model.onnx'));
    await writeFile(join(to, '1/notes.bin'), `copy ${at}`);
  }
}
