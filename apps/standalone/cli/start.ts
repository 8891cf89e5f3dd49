import { once } from 'node:events';
import { startEngine } from '../engine.js';
import { supervise } from '../supervisor.js';
import { untilInterrupted } from './interrupt.js';
import { cliSettings } from './settings.js';

/** Set in the process that the supervisor started. */
const SUPERVISED = 'ADIT_SUPERVISED';

export interface StartOptions {
  port: number;
  host: string;
  dataDir?: string;
  localRoot: string[];
}

/** Serves until told to stop, in a child process that is started again when native code kills it. */
export async function start(options: StartOptions): Promise<void> {
  if (process.env[SUPERVISED] === undefined) {
    const [, entry = '', ...args] = process.argv;
    process.env[SUPERVISED] = String(process.pid);
    process.exitCode = await supervise({ entry, args });
    return;
  }
  await serve(options);
}

async function serve({ port, host, dataDir, localRoot }: StartOptions): Promise<void> {
  const interrupt = untilInterrupted();
  const settings = cliSettings(dataDir);
  const engine = await startEngine({ dataDir: settings.dataDir, port, host, localRoots: localRoot, quiet: false });
  if (engine.newKey !== null) process.stderr.write(`API key, shown this once: ${engine.newKey}\n`);
  process.stderr.write(`Adit listens at ${engine.url}; the API is described at ${engine.url}/api/docs.\n`);
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
  await engine.close();
  interrupt.release();
}
