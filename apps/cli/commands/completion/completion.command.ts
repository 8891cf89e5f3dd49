import { Argument, Command } from 'commander';
import { completionScript, SHELLS, type Shell } from './completion.js';

/** Completes what `program` has when it is asked. */
export function completionCommand(program: Command): Command {
  return new Command('completion')
    .description('A script by which a shell completes this command line.')
    .addArgument(new Argument('<shell>', 'whose script').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  adit completion bash > ~/.local/share/bash-completion/completions/adit
  adit completion fish > ~/.config/fish/completions/adit.fish
  source <(adit completion zsh)`,
    )
    .action((shell: Shell) => void process.stdout.write(completionScript(shell, program)));
}
