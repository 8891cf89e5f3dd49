import { Command, InvalidArgumentError, Option } from 'commander';
import type { StartOptions } from './start.js';

const DEFAULT_PORT = 8080;

export function startCommand(): Command {
  return new Command('start')
    .description('Serve the API from this machine: the whole engine in one process.')
    .addOption(
      new Option('-p, --port <number>', 'port to listen on; 0 takes any free one')
        .env('PORT')
        .argParser(port)
        .default(DEFAULT_PORT),
    )
    .option(
      '--host <address>',
      'address to listen on (default: ADIT_HOST or this machine only)',
      process.env.ADIT_HOST || '127.0.0.1',
    )
    .option('--data-dir <folder>', 'folder of the embedded database and objects (default: ADIT_DATA_DIR or .adit)')
    .option('--local-root <folder>', 'folder that jobs may read local paths from; may be repeated', collect, [])
    .addHelpText(
      'after',
      `
Examples:
  adit start                                    http://127.0.0.1:8080, API description at /api/docs
  adit start --port 9000 --local-root /media/archive

The key comes from ADIT_API_KEY; without one, a key is made at the first start and printed once.`,
    )
    .action(async (options: StartOptions) => (await import('./start.js')).start(options));
}

function port(text: string): number {
  // An empty PORT is none.
  const value = text === '' ? DEFAULT_PORT : Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) {
    throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
  }
  return value;
}

function collect(folder: string, folders: string[]): string[] {
  return [...folders, folder];
}
