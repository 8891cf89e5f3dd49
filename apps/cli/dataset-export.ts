import { resolve } from 'node:path';
import { AditError } from '@adit/contracts';
import { findDataset, type DatasetOptions } from './datasets.js';
import { download } from './download.js';
import { onEngine, printJson, untilEnded } from './engine-work.js';

export interface DatasetExportOptions extends DatasetOptions {
  format: 'adit' | 'coco';
  out?: string;
}

const STRATEGIES = { adit: 'basic_dataset_export', coco: 'coco_export' } as const;

/** Writes a dataset as a zip on this machine. */
export function exportDataset(given: string, options: DatasetExportOptions): Promise<void> {
  return onEngine(options, async (at) => {
    const { client } = at;
    const { id, name } = await findDataset(client, given);
    const order = { strategy: STRATEGIES[options.format], config: { dataset_id: id } };
    const { id: exportId } = await client.request('POST /v1/exports/', { body: order });
    const ask = () => client.request('GET /v1/exports/{exportId}/', { params: { exportId } });
    const made = await untilEnded('Exporting', ask, at);
    if (made.state === 'failed') throw new AditError('INTERNAL', made.error_msg ?? 'The export failed.');
    const [artifact] = (await client.request('GET /v1/exports/{exportId}/artifacts/', { params: { exportId } })).data;
    if (artifact === undefined) throw new AditError('NOT_FOUND', 'The export left no file.');
    const file = resolve(options.out ?? `${fileNameOf(name)}.zip`);
    const params = { exportId, artifactId: artifact.id };
    const { signal } = at;
    const key = 'GET /v1/exports/{exportId}/artifacts/{artifactId}/file/';
    await download(await client.raw(key, { params, signal }), file);
    if (options.json) return printJson({ ...made, file });
    process.stdout.write(`${file}\n`);
  });
}

/** A dataset's name as that of a file. */
function fileNameOf(name: string): string {
  const safe = name.replace(/[^\p{Letter}\p{Number}._-]+/gu, '-').replace(/^[.-]+/, '');
  return safe === '' ? 'dataset' : safe.slice(0, 100);
}
