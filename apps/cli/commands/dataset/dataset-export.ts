import { findDataset, type DatasetOptions } from './datasets.js';
import { onEngine } from '../../engine/engine-work.js';
import { exportFile } from '../../engine/export-file.js';

export interface DatasetExportOptions extends DatasetOptions {
  format: 'adit' | 'coco';
  out?: string;
}

const STRATEGIES = { adit: 'basic_dataset_export', coco: 'coco_export' } as const;

/** Writes a dataset as a zip on this machine. */
export function exportDataset(given: string, options: DatasetExportOptions): Promise<void> {
  return onEngine(options, async (at) => {
    const { id, name } = await findDataset(at.client, given);
    const order = { strategy: STRATEGIES[options.format], config: { dataset_id: id } };
    await exportFile(order, { ...options, out: options.out ?? `${fileNameOf(name)}.zip` }, at);
  });
}

/** A dataset's name as that of a file. */
function fileNameOf(name: string): string {
  const safe = name.replace(/[^\p{Letter}\p{Number}._-]+/gu, '-').replace(/^[.-]+/, '');
  return safe === '' ? 'dataset' : safe.slice(0, 100);
}
