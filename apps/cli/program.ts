import { Command } from 'commander';
import { completionCommand } from './completion.command.js';
import { datasetCommand } from './dataset.command.js';
import { doctorCommand } from './doctor.command.js';
import { galleryCommand } from './gallery.command.js';
import { landmarkCommand } from './landmark.command.js';
import { mineCommand } from './mine.command.js';
import { migrateCommand } from './migrate.command.js';
import { modelCommand } from './model.command.js';
import { EXIT_READER_GONE } from './reader-gone.js';
import { startCommand } from './start.command.js';
import { trainCommand } from './train.command.js';
import { webhookCommand } from './webhook.command.js';
import { workspaceCommand } from './workspace.command.js';

/** Work that failed. */
export const EXIT_FAILED = 1;
/** Wrong use of the command line. */
export const EXIT_USAGE = 2;
/** Ended by Ctrl-C, as shells have it: 128 and the signal's number. */
const EXIT_INTERRUPTED = 130;

const EXIT_CODES = `
Exit codes: 0 all is well, ${EXIT_FAILED} something failed, ${EXIT_USAGE} a wrong command line, ${EXIT_INTERRUPTED} ended by Ctrl-C,
${EXIT_READER_GONE} nobody read its output any more.`;

/** What somebody reads who types `adit` and nothing else. */
export const HINT = `adit mine film.mp4     who and what is in a film
adit start             the API on this machine
adit --help            everything else
`;

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
