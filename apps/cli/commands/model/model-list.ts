import { ModelRepository } from '@adit/inference';
import { cliSettings } from '../../settings.js';
import { printable, textTable } from '../../output/text-table.js';

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
