import { Command } from 'commander';
import { ModelRepository } from '@adit/inference';
import { cliSettings } from './settings.js';
import { printable, textTable } from './text-table.js';

export function modelCommand(): Command {
  const model = new Command('model').description('Models that are installed here.');
  model
    .command('list')
    .description('Every model version that would be served, and what is wrong with the others.')
    .option('--data-dir <folder>', 'folder of the embedded database and objects (default: ADIT_DATA_DIR or .adit)')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  adit model list')
    .action(async (options: { dataDir?: string; json?: boolean }) => {
      await listModels(options, () => true);
    });
  return model;
}

/** Prints the served models of which `wanted` says yes. */
export async function listModels(
  options: { dataDir?: string; json?: boolean },
  wanted: (kind: 'network' | 'gallery') => boolean,
): Promise<void> {
  const repository = await ModelRepository.open({ roots: cliSettings(options.dataDir).modelRoots });
  const models = repository.list().filter((model) => wanted(model.manifest.kind));
  const problems = repository.problems();
  await repository.close();
  if (options.json) {
    process.stdout.write(
      `${JSON.stringify(
        models.map(({ pin, manifest }) => ({ ...pin, manifest })),
        null,
        2,
      )}\n`,
    );
    return;
  }
  const rows = models.map(({ pin, manifest }) => [
    printable(pin.name),
    String(pin.version),
    manifest.kind,
    printable(manifest.task),
    pin.digest.slice(0, 12),
    manifest.isDefault ? 'default' : '',
  ]);
  process.stdout.write(
    rows.length === 0
      ? 'None is installed.\n'
      : `${textTable(['Name', 'Version', 'Kind', 'Task', 'Digest', ''], rows, ['left', 'right'])}\n`,
  );
  for (const { model, version, message } of problems) {
    process.stderr.write(`✗ ${printable(model)}${version === null ? '' : ` ${version}`} is not served: ${message}\n`);
  }
}
