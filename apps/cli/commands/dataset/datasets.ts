import { AditError } from '@adit/contracts';
import type { AditClient, Dataset } from '@adit/client';
import type { EngineOptions } from '../../engine/engine-options.js';
import { onEngine, printJson } from '../../engine/engine-work.js';
import { printable, textTable } from '../../output/text-table.js';

export interface DatasetOptions extends EngineOptions {
  json?: boolean;
}

export interface DatasetCreateOptions extends DatasetOptions {
  type: Dataset['type'];
  description?: string;
}

/** Prints the datasets of the workspace. */
export function listDatasets(options: DatasetOptions): Promise<void> {
  return onEngine(options, async ({ client }) => {
    const found: Dataset[] = [];
    for await (const page of client.pages('GET /v1/datasets/')) found.push(...page);
    if (options.json) return printJson(found);
    if (found.length === 0) return void process.stdout.write('There is none.\n');
    const rows = found.map((dataset) => [
      dataset.id,
      printable(dataset.name),
      dataset.type,
      String(dataset.number_of_classes),
      String(dataset.number_of_images),
      `${Math.floor(dataset.evaluation_state * 100)} %`,
      dataset.issues.has_error ? 'errors' : dataset.issues.has_warning ? 'warnings' : '',
    ]);
    const head = ['Id', 'Name', 'Type', 'Classes', 'Images', 'Evaluated', ''];
    process.stdout.write(`${textTable(head, rows, ['left', 'left', 'left', 'right', 'right', 'right'])}\n`);
  });
}

export function createDataset(name: string, options: DatasetCreateOptions): Promise<void> {
  return onEngine(options, async ({ client }) => {
    const { type, description = '' } = options;
    const made = await client.request('POST /v1/datasets/', { body: { name, type, description } });
    if (options.json) return printJson(made);
    process.stdout.write(`Dataset ${made.id}\n`);
  });
}

/** The dataset of that id or name. Throws VALIDATION when there is none, or several have the name. */
export async function findDataset(client: AditClient, given: string): Promise<Dataset> {
  const found: Dataset[] = [];
  for await (const dataset of client.items('GET /v1/datasets/')) {
    if (dataset.id === given) return dataset;
    if (dataset.name === given) found.push(dataset);
  }
  const [dataset, another] = found;
  if (dataset === undefined) {
    throw new AditError('VALIDATION', `There is no dataset ${printable(given)}; "adit dataset list" shows them.`);
  }
  if (another !== undefined) {
    const ids = found.map(({ id }) => id).join(', ');
    throw new AditError('VALIDATION', `Several datasets are called ${printable(given)}: name it by its id (${ids}).`);
  }
  return dataset;
}
