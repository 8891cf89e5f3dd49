#!/usr/bin/env node
/** The command line `adit`: it boots the same engine as the service and speaks to it through its API only. */
import type { Command } from 'commander';
import { AditError } from '@adit/contracts';
import { EXIT_FAILED, EXIT_USAGE } from './output/exit-codes.js';
import { aditProgram, HINT, isCommand, noCommand } from './program.js';
import { endWithReader, EXIT_READER_GONE, isReaderGone } from './output/reader-gone.js';
import { refusalOf } from './output/refusal.js';

endWithReader();
const program = aditProgram();

/** commander has said what is wrong already; help and version are not errors. */
function exitByUsage(command: Command): void {
  command.exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE));
  command.showHelpAfterError('Run with --help for what is possible.');
  for (const child of command.commands) exitByUsage(child);
}

exitByUsage(program);
if (process.connected) {
  // Started by `npm run …`: it ends with that.
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
}
if (process.argv.length === 2) {
  process.stderr.write(HINT);
  process.exit(EXIT_USAGE);
}
const [given = ''] = process.argv.slice(2);
if (!given.startsWith('-') && !isCommand(program, given)) {
  // With --help as well, which would else be that of adit itself.
  process.stderr.write(`${noCommand(given)}\n`);
  process.exit(EXIT_USAGE);
}
try {
  await program.parseAsync();
} catch (error) {
  if (!isReaderGone()) complain(error);
}
if (isReaderGone()) process.exitCode = EXIT_READER_GONE;

function complain(error: unknown): void {
  const problem = AditError.from(refusalOf(error));
  process.exitCode = problem.code === 'VALIDATION' ? EXIT_USAGE : EXIT_FAILED;
  process.stderr.write(`${problem.message}\n`);
  if (process.env.ADIT_DEBUG) console.error(error);
  else if (problem.code === 'INTERNAL') process.stderr.write('Set ADIT_DEBUG=1 to see where this came from.\n');
}
