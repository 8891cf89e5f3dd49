import { exportFile } from '../../engine/export-file.js';
import { onEngine } from '../../engine/engine-work.js';
import type { JobOptions } from './jobs.js';

export interface JobClipsOptions extends JobOptions {
  out?: string;
  exact?: boolean;
  handles?: number;
  modules?: string[];
  label?: string[];
  source?: number;
}

/** Writes the clips of many segments to one archive on this machine. */
export function clipsOfJob(job: string, options: JobClipsOptions): Promise<void> {
  const { exact, handles, modules, label: labels, source } = options;
  const config = {
    job_id: job,
    ...(exact !== undefined && { exact }),
    ...(handles !== undefined && { handles }),
    ...(modules !== undefined && { modules }),
    ...(labels !== undefined && { labels }),
    ...(source !== undefined && { source }),
  };
  return onEngine(options, (at) => exportFile({ strategy: 'clips_export', config }, options, at));
}
