import { Command, InvalidArgumentError } from 'commander';
import { withEngineOptions } from '../../engine/engine-options.js';
import type { TrainOptions } from './train.js';

export function trainCommand(): Command {
  const train = new Command('train')
    .description('Train a model with a dataset, or its next version, and say how good it is.')
    .argument('<dataset>', 'name or id of the dataset')
    .requiredOption('-n, --name <name>', 'name of the model, as a job’s "model" will say it')
    .option('--description <text>', 'what the model is')
    .option('--changelog <text>', 'what is new in this version')
    .option('--min-face-size <pixels>', 'least size of the smallest side of a face (default: 80)', whole)
    .option('--sharpness-threshold <number>', 'least quality of a face, 0..100 (default: 40)', whole)
    .option('--json', 'the training as JSON');
  return withEngineOptions(train)
    .addHelpText(
      'after',
      `
Examples:
  adit train Newsroom --name newsroom
  adit mine evening.mp4 --model newsroom

It begins when all images of the dataset have been evaluated. Ctrl-C stops it; then there is no new version.`,
    )
    .action(async (dataset: string, options: TrainOptions) => (await import('./train.js')).train(dataset, options));
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}
