/**
 * `node dist/install-cli.js --cache DIR [--verify] [--fetch]`: installs all weights, and prints a line per converted
 * one. With `--fetch` it also downloads the models of the set-up into the cache; a line that begins with "note: " names
 * those that are unavailable.
 */
import { parseArgs } from 'node:util';
import { AditError } from '@adit/contracts';
import { installWeights, type InstalledModel } from './install.js';
import { fetchForSetUp } from './pulled/pull.js';

function report(model: InstalledModel, milliseconds: number): void {
  if (model.from !== 'package') return;
  const megabytes = (model.bytes / 1e6).toFixed(1);
  process.stdout.write(`weights: ${model.name} converted (${megabytes} MB, ${(milliseconds / 1000).toFixed(1)} s)\n`);
}

async function fetch(cacheDir: string): Promise<void> {
  const onProgress = (name: string, bytes: number, of: number): void => {
    process.stdout.write(`${name}: ${Math.round(bytes / 1e6)} of ${Math.round(of / 1e6)} MB\n`);
  };
  // Partial downloads are removed.
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interrupted.abort());
  }
  for (const { name, purpose, problem } of await fetchForSetUp({ cacheDir, onProgress, signal: interrupted.signal })) {
    if (problem === null) continue;
    const why = problem.split('\n', 1)[0];
    process.stdout.write(
      `note: ${name} was not fetched (${why}). It ${purpose}; later: npm run adit -- model pull ${name}\n`,
    );
  }
}

async function main(): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({ options: { cache: { type: 'string' }, verify: flag, fetch: flag } });
  if (values.cache === undefined)
    throw new AditError('VALIDATION', 'usage: install-cli --cache DIR [--verify] [--fetch]');
  await installWeights({ cacheDir: values.cache, verify: values.verify, onProgress: report });
  if (values.fetch) await fetch(values.cache);
}

main().catch((error: unknown) => {
  process.stderr.write(`weights: ${AditError.from(error).message}\n`);
  process.exitCode = 1;
});
