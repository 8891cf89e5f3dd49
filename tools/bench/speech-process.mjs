// Speech recognition in a process of its own: what a recording takes, and what of that its networks alone do.
import { analysesFolder } from '@adit/analyses';
import { AnalysisRegistry, AnalysisRunner, inferFile, ModelRepository, SessionPool } from '@adit/inference';
import { modelsRoot } from '@adit/models';
import { answer } from './child.mjs';

const [folder] = process.argv.slice(2);
let repository;
let pool;
/** CPU seconds in runs of the voice detector, the encoder and the decoder. */
let alone = 0;

answer({
  /** As many threads as faster-whisper has in the evaluation. */
  async open() {
    repository = await ModelRepository.open({ roots: [modelsRoot(), folder] });
    pool = new SessionPool({ workers: 1, onnx: { threads: 2 } });
    const { network, release } = await pool.acquire(repository.resolve('silero-vad'));
    const sequence = network.sequence();
    count(Object.getPrototypeOf(sequence));
    await sequence.end();
    release();
  },

  async hear({ path, mode }) {
    alone = 0;
    const before = cpuSeconds();
    const analysis = (await AnalysisRegistry.scan(analysesFolder)).get('speech');
    const runner = new AnalysisRunner(repository, pool);
    let words = 0;
    for await (const { observations } of inferFile({ runner, analysis, path, args: { mode } }))
      words += observations.segments.flatMap((segment) => segment.words).length;
    return { words, whole: cpuSeconds() - before, alone };
  },

  async end() {
    await pool.close();
    await repository.close();
  },
});

/** CPU seconds of this process with all its threads. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function count(sequences) {
  const { run } = sequences;
  sequences.run = async function (...step) {
    const before = cpuSeconds();
    try {
      return await run.apply(this, step);
    } finally {
      alone += cpuSeconds() - before;
    }
  };
}
