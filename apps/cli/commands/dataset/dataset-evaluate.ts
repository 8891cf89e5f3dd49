import type { AditClient, Dataset } from '@adit/client';
import { findDataset, type DatasetOptions } from './datasets.js';
import { onEngine, printJson, until } from '../../engine/engine-work.js';
import { printable } from '../../output/text-table.js';

/** Images that are named with each reason. */
const MAX_NAMED = 5;

/** Waits until every image of a dataset has been looked at and compared, and says what was found. */
export function evaluateDataset(given: string, options: DatasetOptions): Promise<void> {
  return onEngine(options, async (at) => {
    const { client, progress } = at;
    const { id: datasetId } = await findDataset(client, given);
    const dataset = await until(
      async () => {
        const found = await client.request('GET /v1/datasets/{datasetId}/', { params: { datasetId } });
        progress.show('Evaluating', found.evaluation_state);
        return found;
      },
      (found) => found.number_of_images === 0 || found.evaluation_state === 1,
      at,
    );
    progress.stop();
    if (options.json) return printJson(dataset);
    for (const line of await findings(client, dataset)) process.stderr.write(`${line}\n`);
    const { number_of_images: images, number_of_classes: classes, issues } = dataset;
    const faults = issues.has_error ? 'a training would fail' : issues.has_warning ? 'see above' : 'nothing is wrong';
    process.stdout.write(`${images} images of ${classes} classes are evaluated: ${faults}\n`);
  });
}

async function findings(client: AditClient, { id: datasetId, issues }: Dataset): Promise<string[]> {
  const labels = new Map<string, string>();
  const lines: string[] = [];
  for (const { level, message, number_of_images: count, images } of issues.reasons) {
    lines.push(`${level === 'error' ? '✗' : '!'} ${count === 0 ? '' : `${count}: `}${printable(message)}`);
    for (const { class_id: classId, image_id: imageId } of images.slice(0, MAX_NAMED)) {
      const label = labels.get(classId) ?? (await labelOf(client, datasetId, classId));
      labels.set(classId, label);
      lines.push(`    ${printable(label)}: image ${imageId}`);
    }
  }
  return lines;
}

async function labelOf(client: AditClient, datasetId: string, classId: string): Promise<string> {
  const key = 'GET /v1/datasets/{datasetId}/classes/{classId}/';
  return (await client.request(key, { params: { datasetId, classId } })).label;
}
