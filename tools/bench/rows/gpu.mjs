// Row gpu: what a GPU gives each kind of network, one picture at a time and in batches, against ONNX Runtime alone. It needs
// nothing but the machine: ADIT_PROVIDERS names what to run on (`cpu` tries the row itself), else the first GPU that works.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { floatTensor, ModelRepository, OnnxSession, SessionPool } from '@adit/inference';
import { modelsRoot } from '@adit/models';

const GPUS = ['cuda', 'webgpu'];

export async function gpu(bench) {
  const repository = await ModelRepository.open({ roots: [modelsRoot()] });
  try {
    const models = oneOfEachTask(repository.list());
    const asked = process.env.ADIT_PROVIDERS?.split(',') ?? GPUS;
    const { provider, reasons } = await firstThatWorks(asked, models[0]);
    if (provider === null) {
      return [{ name: 'networks on a GPU', measured: 'no GPU here', goal: '', ok: null, note: reasons.join('; ') }];
    }
    const rows = [];
    for (const model of models) rows.push(await networkRow(bench, provider, model));
    return [...rows, await memoryRow(provider, models)];
  } finally {
    await repository.close();
  }
}

/** Networks of pictures. Several of one task, such as the readers of several languages, cost the same. */
function oneOfEachTask(models) {
  const byTask = new Map();
  for (const model of models) {
    const { kind, input, task } = model.manifest;
    if (kind === 'network' && input !== undefined && !byTask.has(task)) byTask.set(task, model);
  }
  return [...byTask.values()];
}

async function firstThatWorks(providers, model) {
  const reasons = [];
  for (const provider of providers) {
    const pool = poolOf(provider);
    try {
      (await pool.acquire(model)).release();
      return { provider, reasons };
    } catch (error) {
      reasons.push(`${provider}: ${error.message.split('\n')[0]}`);
    } finally {
      await pool.close();
    }
  }
  return { provider: null, reasons };
}

function poolOf(provider, more = {}) {
  return new SessionPool({ onnx: { providers: [provider] }, ...more });
}

async function networkRow(bench, provider, model) {
  const { pin, manifest } = model;
  const batch = manifest.maxBatch ?? 1;
  const seconds = bench.quick ? 0.2 : 3;
  const row = noise(manifest.input);
  const pooled = async (maxBatch, inFlight, precision) => {
    const pool = poolOf(provider, { maxBatch });
    try {
      const { network, release } = await pool.acquire(model, precision);
      const rate = await rateOf(seconds, inFlight, 1, () => network.run(row));
      release();
      return rate;
    } finally {
      await pool.close();
    }
  };
  const single = await pooled(1, 1);
  // Twice as many as a batch: the next one is ready when one is done.
  const batched = await pooled(batch, 2 * batch);
  // The CPU only rounds as float16 does, which takes longer.
  const half = provider === 'cpu' ? null : await pooled(batch, 2 * batch, 'float16');
  const rows = Array.from({ length: batch }, () => row);
  const session = await OnnxSession.load(join(model.folder, 'model.onnx'), { providers: [provider], threads: 0 });
  const alone = await rateOf(seconds, 1, batch, () => session.run(rows)).finally(() => session.release());
  const { width, height } = manifest.input;
  const each = (rate) => `${rate.toFixed(rate < 10 ? 1 : 0)}/s`;
  const inHalf = half === null ? '' : `, ${each(half)} in float16 (${(half / batched).toFixed(1)} ×)`;
  const measured = `${each(batched)}, ${(batched / single).toFixed(1)} × by batches of ${batch}${inHalf}`;
  bench.log(`${pin.name} on ${provider}: ${measured}`);
  return {
    name: `${manifest.task} on ${provider}`,
    measured,
    goal: '',
    ok: null,
    note:
      `${pin.name}, ${width}×${height}: one at a time ${each(single)}, ONNX Runtime alone in such batches ${each(alone)}, ` +
      `of which Adit reaches ${((100 * batched) / alone).toFixed(0)} %`,
  };
}

/** Rows a second of `work`, which does `rows` of them, with so many at a time, once it is warm. */
async function rateOf(seconds, inFlight, rows, work) {
  await Promise.all(Array.from({ length: inFlight }, work));
  const start = performance.now();
  const end = start + seconds * 1000;
  let done = 0;
  const run = async () => {
    do {
      await work();
      done += rows;
    } while (performance.now() < end);
  };
  await Promise.all(Array.from({ length: inFlight }, run));
  return done / ((performance.now() - start) / 1000);
}

function noise({ tensor, width, height, layout, colour }) {
  const channels = colour === 'grey' ? 1 : 3;
  const data = Float32Array.from({ length: channels * width * height }, () => Math.random() * 2 - 1);
  return { [tensor]: floatTensor(data, layout === 'nchw' ? [channels, height, width] : [height, width, channels]) };
}

/** Memory of all these networks together, without that of the process before. */
async function memoryRow(provider, models) {
  const before = await memoryNow();
  const pool = poolOf(provider, { maxIdle: models.length });
  try {
    for (const model of models) (await pool.acquire(model)).release();
    const after = await memoryNow();
    const gib = (bytes) => `${(bytes / 2 ** 30).toFixed(2)} GiB`;
    return {
      name: `these networks in memory, on ${provider}`,
      measured: gib(after.host - before.host),
      goal: '',
      ok: null,
      note:
        after.gpu === null
          ? 'of the process; nvidia-smi, which knows the GPU’s, is not here'
          : `of the process; ${gib(after.gpu - before.gpu)} of the GPU’s`,
    };
  } finally {
    await pool.close();
  }
}

/** Bytes of the process, and of the first GPU where NVIDIA's program can tell. */
async function memoryNow() {
  const args = ['--query-gpu=memory.used', '--format=csv,noheader,nounits'];
  const gpu = await promisify(execFile)('nvidia-smi', args).then(
    ({ stdout }) => Number(stdout.split('\n')[0]) * 2 ** 20,
    () => null,
  );
  return { host: process.memoryUsage().rss, gpu };
}
