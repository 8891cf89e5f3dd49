// Speech recognition of one file by Adit, with the cost of the process: node speech-child.mjs FILE '{"mode": …, "folders": […]}'
import { analysesFolder } from '@adit/analyses';
import { AnalysisRegistry, AnalysisRunner, inferFile, ModelRepository, SessionPool } from '@adit/inference';

const [path, options] = process.argv.slice(2);
const { mode, folders } = JSON.parse(options);
const repository = await ModelRepository.open({ roots: folders });
// One file is heard window by window: a second worker would only load the models again.
const pool = new SessionPool({ workers: 1, onnx: { threads: 2 } });
const analysis = (await AnalysisRegistry.scan(analysesFolder)).get('speech');
const runner = new AnalysisRunner(repository, pool);
const texts = [];
const seconds = new Map();
for await (const { observations } of inferFile({ runner, analysis, path, args: { mode } })) {
  const { segments, language, voices } = observations;
  texts.push(...segments.map(({ text }) => text));
  const voiced = voices.reduce((sum, { start, end }) => sum + end - start, 0);
  if (language !== null) seconds.set(language, (seconds.get(language) ?? 0) + voiced);
}
await pool.close();
await repository.close();
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const [language = null] = [...seconds].sort((a, b) => b[1] - a[1]).map(([name]) => name);
const cost = { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakBytes: maxRSS * 1024 };
console.log(JSON.stringify({ text: texts.join(' '), language, ...cost }));
