import { join } from 'node:path';
import { supervise } from '@adit/standalone';

export interface StartOptions {
  port: number;
  host: string;
  dataDir?: string;
  localRoot: string[];
}

/** Serves until told to stop, in a child process that is started again when native code kills it. */
export async function start(options: StartOptions): Promise<void> {
  const entry = join(import.meta.dirname, 'serve.js');
  process.exitCode = await supervise({ entry, args: [JSON.stringify(options)] });
}
