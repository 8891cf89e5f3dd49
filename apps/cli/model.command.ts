import { Command } from 'commander';

export function modelCommand(): Command {
  const model = new Command('model').description('Models: those that are installed here, and files that could be.');
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
  model
    .command('inspect')
    .description(
      'What an ONNX file is: checks it, runs it on noise, and says what Adit takes it for. Nothing is installed.',
    )
    .argument('<file>', 'an ONNX file; labels.txt, config.json and preprocessor_config.json beside it are read too')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  adit model inspect best.onnx')
    .action(async (file: string, options: { json?: boolean }) => {
      const { printInspection } = await import('./model-inspect.js');
      await printInspection(file, options);
    });
  return model;
}
