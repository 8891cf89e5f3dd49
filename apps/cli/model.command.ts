import { Command } from 'commander';

export function modelCommand(): Command {
  const model = new Command('model').description('Models that are installed here.');
  model
    .command('list')
    .description('Every model version that would be served, and what is wrong with the others.')
    .option('--data-dir <folder>', 'folder of the embedded database and objects (default: ADIT_DATA_DIR or .adit)')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  adit model list')
    .action(async (options: { dataDir?: string; json?: boolean }) => {
      const { listModels } = await import('./model-list.js');
      await listModels(options, () => true);
    });
  return model;
}
