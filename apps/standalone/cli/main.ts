#!/usr/bin/env node
/** The command line `adit`: it boots the same engine as the service and speaks to it through its API only. */
import { Command } from 'commander';
import { AditError } from '@adit/contracts';
import { doctorCommand } from './doctor.command.js';
import { galleryCommand } from './gallery.command.js';
import { landmarkCommand } from './landmark.command.js';
import { mineCommand } from './mine.command.js';
import { modelCommand } from './model.command.js';
import { refusalOf } from './refusal.js';
import { startCommand } from './start.command.js';
import { webhookCommand } from './webhook.command.js';

/** Wrong use of the command line; 1 is for work that failed. */
const EXIT_USAGE = 2;

const program = new Command('adit')
  .description('Adit finds who and what is in your films and pictures, on your own machine.')
  .version('0.1.0')
  .addCommand(mineCommand())
  .addCommand(startCommand())
  .addCommand(doctorCommand())
  .addCommand(modelCommand())
  .addCommand(galleryCommand())
  .addCommand(landmarkCommand())
  .addCommand(webhookCommand());

/** commander has said what is wrong already; help and version are not errors. */
function exitByUsage(command: Command): void {
  command.exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE));
  command.showHelpAfterError('Run with --help for what is possible.');
  for (const child of command.commands) exitByUsage(child);
}

exitByUsage(program);
try {
  await program.parseAsync();
} catch (error) {
  const problem = AditError.from(refusalOf(error));
  process.stderr.write(`${problem.message}\n`);
  if (process.env.ADIT_DEBUG) console.error(error);
  else if (problem.code === 'INTERNAL') process.stderr.write('Set ADIT_DEBUG=1 to see where this came from.\n');
  process.exitCode = problem.code === 'VALIDATION' ? EXIT_USAGE : 1;
}
