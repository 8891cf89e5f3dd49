import { resolve } from 'node:path';
import { download } from '../../engine/download.js';
import { onEngine, printJson } from '../../engine/engine-work.js';
import type { JobOptions } from './jobs.js';

export interface JobClipOptions extends JobOptions {
  out?: string;
  exact?: boolean;
  handles?: number;
}

/** Writes a segment of a film or recording to a file on this machine. */
export function clipJob(
  job: string,
  segment: number,
  { out, exact, handles, ...options }: JobClipOptions,
): Promise<void> {
  return onEngine(options, async ({ client, signal, progress }) => {
    progress.show('Cutting', 0, 'the clip');
    const reply = await client.jobs.clip(job, segment, {
      signal,
      ...(exact !== undefined && { exact }),
      ...(handles !== undefined && { handles }),
    });
    progress.stop();
    const isSound = reply.headers.get('content-type') === 'audio/mp4';
    const file = resolve(out ?? `${job}-${segment}.${isSound ? 'm4a' : 'mp4'}`);
    await download(reply, file);
    if (options.json === true) printJson({ file });
    else process.stdout.write(`${file}\n`);
  });
}
