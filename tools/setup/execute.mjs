// Runs a program to its end and answers everything it printed, both streams in one.
import { execFile } from 'node:child_process';
import { SetupError } from './step.mjs';

const LAST_CHARACTERS = 4_000;

/** Throws a SetupError with the end of what was printed when the program fails. */
export function execute(command, args, { cwd, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, env, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      const printed = `${stdout}${stderr}`;
      if (error === null) return resolve(printed);
      const ending = typeof error.code === 'number' ? `exit code ${error.code}` : error.message;
      reject(new SetupError(`${command} ${args.join(' ')}: ${ending}\n${printed.slice(-LAST_CHARACTERS)}`));
    });
  });
}
