import { Command, Option } from 'commander';
import type { DatasetExportOptions } from './dataset-export.js';
import type { DatasetCreateOptions, DatasetOptions } from './datasets.js';
import { withEngineOptions } from '../../engine/engine-options.js';

const DATASET = 'name or id of the dataset';

export function datasetCommand(): Command {
  const dataset = new Command('dataset').description('Datasets: photos of people or landmarks that models learn from.');
  const one = (name: string, does: string) =>
    withEngineOptions(dataset.command(name).description(does).option('--json', 'as JSON'));
  one('list', 'Those that there are, with what they hold.').action(async (options: DatasetOptions) => {
    const { listDatasets } = await import('./datasets.js');
    await listDatasets(options);
  });
  one('create', 'Make an empty one, and print its id.')
    .argument('<name>', 'what it is called')
    .addOption(new Option('--type <type>', 'what it teaches').choices(['face', 'landmark']).default('face'))
    .option('--description <text>', 'what it is')
    .action(async (name: string, options: DatasetCreateOptions) => {
      const { createDataset } = await import('./datasets.js');
      await createDataset(name, options);
    });
  one('import', 'Put many photos into one, and say which could not be taken.')
    .argument('<dataset>', DATASET)
    .argument('<source>', 'a folder with a folder of photos for each class; a zip of that, a CSV, or storage://…')
    .addHelpText(
      'after',
      `
Examples:
  adit dataset import Newsroom people/          people/Anna Weber/1.jpg, people/Jo.png …
  adit dataset import Newsroom newsroom.zip     what "adit dataset export" wrote

Classes are found by their name, and made where there are none. Ctrl-C stops it; what was imported stays.`,
    )
    .action(async (given: string, source: string, options: DatasetOptions) => {
      const { importInto } = await import('./dataset-import.js');
      await importInto(given, source, options);
    });
  one('export', 'Write one as a zip: its photos by class, and what was said of them.')
    .argument('<dataset>', DATASET)
    .option('-o, --out <file>', 'where it goes (default: the dataset’s name and .zip)')
    .addOption(new Option('--format <format>', 'what its list is written as').choices(['adit', 'coco']).default('adit'))
    .action(async (given: string, options: DatasetExportOptions) => {
      const { exportDataset } = await import('./dataset-export.js');
      await exportDataset(given, options);
    });
  one('evaluate', 'Wait until all its images were looked at and compared, and say what is wrong.')
    .argument('<dataset>', DATASET)
    .action(async (given: string, options: DatasetOptions) => {
      const { evaluateDataset } = await import('./dataset-evaluate.js');
      await evaluateDataset(given, options);
    });
  return dataset;
}
