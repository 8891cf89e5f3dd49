/** `node dist/install-cli.js --cache DIR [--verify]`: installs all weights; says one line for each that was converted. */
import { parseArgs } from 'node:util';
import { AditError } from '@adit/contracts';
import { installWeights, type InstalledModel } from './install.js';

function report(model: InstalledModel, milliseconds: number): void {
  if (model.from !== 'package') return;
  const megabytes = (model.bytes / 1e6).toFixed(1);
  process.stdout.write(`weights: ${model.name} converted (${megabytes} MB, ${(milliseconds / 1000).toFixed(1)} s)\n`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { cache: { type: 'string' }, verify: { type: 'boolean', default: false } } });
  if (values.cache === undefined) throw new AditError('VALIDATION', 'usage: install-cli --cache DIR [--verify]');
  await installWeights({ cacheDir: values.cache, verify: values.verify, onProgress: report });
}

main().catch((error: unknown) => {
  process.stderr.write(`weights: ${AditError.from(error).message}\n`);
  process.exitCode = 1;
});
