import { onEngine } from '../../engine/engine-work.js';
import { exportFile } from '../../engine/export-file.js';
import type { JobOptions } from './jobs.js';

/** All results as they are; other formats are for editing programs. */
const RESULT_FORMATS: readonly string[] = ['json', 'csv', 'xlsx', 'zip'];

export interface JobExportOptions extends JobOptions {
  format: string;
  out?: string;
  modules?: string[];
  label?: string[];
  source?: number;
  handles?: number;
  refine?: boolean;
}

/** Writes what a job found to a file on this machine. */
export function exportJob(id: string, options: JobExportOptions): Promise<void> {
  const { format, modules, label: labels, source, handles, refine } = options;
  const filter = {
    ...(modules !== undefined && { modules }),
    ...(labels !== undefined && { labels }),
    ...(source !== undefined && { source }),
    ...(handles !== undefined && { handles }),
    ...(refine === true && { refine }),
  };
  // A log of cuts is for whoever says which; all results are a table otherwise.
  const isCut = !RESULT_FORMATS.includes(format) || (format === 'csv' && Object.keys(filter).length > 0);
  const strategy = isCut ? ('segments_export' as const) : ('job_results_export' as const);
  return onEngine(options, (at) => exportFile({ strategy, config: { job_id: id, format, ...filter } }, options, at));
}
