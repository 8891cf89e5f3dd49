import { describe, expect, it } from '@jest/globals';
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { completionScript, SHELLS } from './completion.js';
import { aditProgram } from '../../program.js';

const run = promisify(execFile);
const program = aditProgram();

function has(shell: string): boolean {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Lists the completions of bash behind `words`, the last of which is being typed. */
async function offeredByBash(...words: string[]): Promise<string[]> {
  const script = `${completionScript('bash', program)}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _adit; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', script, 'bash', ...words]);
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion', () => {
  it('offers the commands there are, and the options of each', async () => {
    const commands = program.commands.map((command) => command.name());
    expect(await offeredByBash('adit', '')).toEqual(expect.arrayContaining(commands));
    expect(await offeredByBash('adit', 'ga')).toEqual(['gallery']);
    expect(await offeredByBash('adit', 'gallery', '')).toContain('build');
    expect(await offeredByBash('adit', 'gallery', 'build', 'people/', '--na')).toEqual(['--name']);
    expect(await offeredByBash('adit', 'mine', '--mod')).toEqual(['--modules', '--model']);
    // A file: the shell's own.
    expect(await offeredByBash('adit', 'mine', 'film')).toEqual([]);
  });

  /** @hardening api: The command line does not say what it takes */
  it.each(SHELLS)('knows every command and option in %s', (shell) => {
    const script = completionScript(shell, program);
    for (const command of program.commands) {
      expect(script).toContain(command.name());
      for (const { long } of command.options) expect(script).toContain(long?.slice(2));
    }
  });

  // Whichever shells this machine has.
  it.each(SHELLS.filter(has))('the script is one that %s reads', async (shell) => {
    await run(shell, ['-n', '-c', completionScript(shell, program)]);
  });
});

describe('help', () => {
  it.each([program, ...program.commands])('says what the exit codes mean: %#', (command) => {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    expect(help).toMatch(/Exit codes: 0 .* 1 .* 2 .* 130 .*\n141 /);
  });
});
