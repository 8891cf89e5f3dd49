import { Command } from 'commander';
import { completionCommand } from './completion.command.js';
import { datasetCommand } from './dataset.command.js';
import { doctorCommand } from './doctor.command.js';
import { EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE } from './exit-codes.js';
import { galleryCommand } from './gallery.command.js';
import { jobsCommand } from './jobs.command.js';
import { landmarkCommand } from './landmark.command.js';
import { mineCommand } from './mine.command.js';
import { migrateCommand } from './migrate.command.js';
import { modelCommand } from './model.command.js';
import { EXIT_READER_GONE } from './reader-gone.js';
import { startCommand } from './start.command.js';
import { trainCommand } from './train.command.js';
import { transcriptCommand } from './transcript.command.js';
import { webhookCommand } from './webhook.command.js';
import { workspaceCommand } from './workspace.command.js';

const EXIT_CODES = `
Exit codes: 0 all is well, ${EXIT_FAILED} something failed, ${EXIT_USAGE} a wrong command line, ${EXIT_INTERRUPTED} ended by Ctrl-C,
${EXIT_READER_GONE} nobody read its output any more.`;

/** What somebody reads who types `adit` and nothing else. */
export const HINT = `adit mine film.mp4     who and what is in a film
adit start             the API on this machine
adit --help            everything else
`;

/** Where what people look for under a name of its own is to be had. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  export:
    '"adit jobs export" writes what a job found, "adit dataset export" a dataset; POST /v1/exports/ also transcripts',
  job: '"adit jobs" has them',
  upload: '"adit mine --server" uploads what it mines; POST /v1/storage/ takes files',
};

/** Whether a word begins a command of the program. */
export function isCommand(program: Command, word: string): boolean {
  return (
    word === 'help' || program.commands.some((command) => command.name() === word || command.aliases().includes(word))
  );
}

/** What is said of a command that there is not. */
export function noCommand(word: string): string {
  const elsewhere = Object.hasOwn(ELSEWHERE, word) ? ` ${ELSEWHERE[word]}.` : '';
  return `There is no command ${word.slice(0, 40)}.${elsewhere} "adit --help" shows all there are.`;
}

/** The command line as a table of commands. */
export function aditProgram(): Command {
  const program = new Command('adit')
    .description('Adit finds who and what is in your films and pictures, on your own machine.')
    .version('0.1.0')
    // Its --version is not that of a command behind it.
    .enablePositionalOptions()
    .addCommand(mineCommand())
    .addCommand(startCommand())
    .addCommand(doctorCommand())
    .addCommand(jobsCommand())
    .addCommand(transcriptCommand())
    .addCommand(modelCommand())
    .addCommand(galleryCommand())
    .addCommand(datasetCommand())
    .addCommand(trainCommand())
    .addCommand(landmarkCommand())
    .addCommand(migrateCommand())
    .addCommand(webhookCommand())
    .addCommand(workspaceCommand())
    .addHelpText('afterAll', EXIT_CODES);
  return program.addCommand(completionCommand(program));
}
