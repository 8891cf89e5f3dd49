import { buildVersion } from '@adit/runtime/build-version';
import { Command } from 'commander';
import { completionCommand } from './commands/completion/completion.command.js';
import { datasetCommand } from './commands/dataset/dataset.command.js';
import { doctorCommand } from './commands/doctor/doctor.command.js';
import { EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE } from './output/exit-codes.js';
import { galleryCommand } from './commands/gallery/gallery.command.js';
import { jobsCommand } from './commands/jobs/jobs.command.js';
import { landmarkCommand } from './commands/landmark/landmark.command.js';
import { mineCommand } from './commands/mine/mine.command.js';
import { migrateCommand } from './commands/migrate/migrate.command.js';
import { modelCommand } from './commands/model/model.command.js';
import { EXIT_READER_GONE } from './output/reader-gone.js';
import { retentionCommand } from './commands/retention/retention.command.js';
import { searchCommand } from './commands/search/search.command.js';
import { startCommand } from './commands/start/start.command.js';
import { streamCommand } from './commands/stream/stream.command.js';
import { trainCommand } from './commands/train/train.command.js';
import { transcriptCommand } from './commands/transcript/transcript.command.js';
import { usageCommand } from './commands/usage/usage.command.js';
import { webhookCommand } from './commands/webhook/webhook.command.js';
import { workspaceCommand } from './commands/workspace/workspace.command.js';

const EXIT_CODES = `
Exit codes: 0 all is well, ${EXIT_FAILED} something failed, ${EXIT_USAGE} a wrong command line, ${EXIT_INTERRUPTED} ended by Ctrl-C,
${EXIT_READER_GONE} nobody read its output any more.`;

/** Text for somebody who types `adit` and nothing else. */
export const HINT = `adit mine film.mp4     who and what is in a film
adit start             the API on this machine
adit --help            everything else
`;

/** Commands for words that people try first. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  export:
    '"adit jobs export" writes what a job found, "adit dataset export" a dataset; POST /v1/exports/ also transcripts',
  job: '"adit jobs" has them',
  upload: '"adit mine --server" uploads what it mines; POST /v1/storage/ takes files',
};

/** Tells whether a word begins a command of the program. */
export function isCommand(program: Command, word: string): boolean {
  return (
    word === 'help' || program.commands.some((command) => command.name() === word || command.aliases().includes(word))
  );
}

/** Text about an unknown command. */
export function noCommand(word: string): string {
  const elsewhere = Object.hasOwn(ELSEWHERE, word) ? ` ${ELSEWHERE[word]}.` : '';
  return `There is no command ${word.slice(0, 40)}.${elsewhere} "adit --help" shows all there are.`;
}

/** The command line as a table of commands. */
export function aditProgram(): Command {
  const program = new Command('adit')
    .description('Adit finds who and what is in your films and pictures, on your own machine.')
    .version(buildVersion())
    // Its --version is not that of a command behind it.
    .enablePositionalOptions()
    .addCommand(mineCommand())
    .addCommand(startCommand())
    .addCommand(doctorCommand())
    .addCommand(jobsCommand())
    .addCommand(searchCommand())
    .addCommand(transcriptCommand())
    .addCommand(modelCommand())
    .addCommand(galleryCommand())
    .addCommand(datasetCommand())
    .addCommand(trainCommand())
    .addCommand(landmarkCommand())
    .addCommand(streamCommand())
    .addCommand(migrateCommand())
    .addCommand(webhookCommand())
    .addCommand(workspaceCommand())
    .addCommand(retentionCommand())
    .addCommand(usageCommand())
    .addHelpText('afterAll', EXIT_CODES);
  return program.addCommand(completionCommand(program));
}
