import { InvalidArgumentError, Option, type Command } from 'commander';

/** The engine that a command uses. */
export interface EngineOptions {
  /** Address of one that runs; without it the command starts one of its own. */
  server?: string;
  dataDir?: string;
}

/** Adds the options that say which engine a command speaks to. */
export function withEngineOptions(command: Command): Command {
  return command
    .addOption(serverOption())
    .option('--data-dir <folder>', 'folder of the embedded database and objects (default: ADIT_DATA_DIR or .adit)');
}

export function serverOption(): Option {
  return new Option('--server <url>', 'an engine that runs there, with the key in ADIT_API_KEY; files are uploaded')
    .env('ADIT_SERVER')
    .argParser(address);
}

function address(text: string): string {
  if (!URL.canParse(text) || !/^https?:/i.test(text)) {
    throw new InvalidArgumentError('Give an http:// or https:// address.');
  }
  return text;
}
