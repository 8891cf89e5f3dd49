import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A command as it is typed, and what may follow it. */
interface Place {
  /** `adit gallery build`. */
  path: string;
  offered: { word: string; description: string; isCommand: boolean; takesValue: boolean }[];
}

/** The completion of a whole command line as a script for a shell, made from the commands themselves. */
export function completionScript(shell: Shell, program: Command): string {
  return { bash, zsh, fish }[shell](program.name(), placesOf(program, program.name()));
}

function placesOf(command: Command, path: string): Place[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  const offered = children.map((child) => ({
    ...{ word: child.name(), description: child.description() },
    ...{ isCommand: true, takesValue: false },
  }));
  for (const option of help.visibleOptions(command)) {
    const { description, required, optional } = option;
    for (const word of [option.short, option.long]) {
      if (word) offered.push({ word, description, isCommand: false, takesValue: required || optional });
    }
  }
  return [{ path, offered }, ...children.flatMap((child) => placesOf(child, `${path} ${child.name()}`))];
}

/** Every command but the first is reached by a word: its path. */
function reached(places: Place[]): string[] {
  return places.slice(1).map(({ path }) => path);
}

/** The shell completes files where nothing is offered, or the word begins a file. */
function bash(name: string, places: Place[]): string {
  const words = (place: Place) => place.offered.map(({ word }) => word).join(' ');
  return `# ${name} completion bash > ~/.local/share/bash-completion/completions/${name}
_${name}() {
  local at=${name} word offered=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${reached(places).map(quoted).join(' | ')}) at="$at $word" ;;
    esac
  done
  case $at in
${places.map((place) => `    ${quoted(place.path)}) offered=${quoted(words(place))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${name} ${name}
`;
}

function zsh(name: string, places: Place[]): string {
  const words = (place: Place) =>
    place.offered.map(({ word, description }) => quoted(`${word}:${description.replaceAll(':', '\\:')}`)).join(' ');
  return `#compdef ${name}
# source <(${name} completion zsh), or as a file _${name} in a folder of $fpath
_${name}() {
  local at=${name} word
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      (${reached(places).map(quoted).join(' | ')}) at="$at $word" ;;
    esac
  done
  case $at in
${places.map((place) => `    (${quoted(place.path)}) offered=(${words(place)}) ;;`).join('\n')}
  esac
  _describe ${name} offered
  [[ $PREFIX == -* ]] || _files
}
compdef _${name} ${name}
`;
}

function fish(name: string, places: Place[]): string {
  const line = (place: Place, { word, description, isCommand, takesValue }: Place['offered'][number]) => {
    const what = isCommand ? `-f -a ${word}` : word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`;
    const condition = `-n "__${name}_at '${place.path}'"`;
    return `complete -c ${name} ${condition} ${what}${takesValue ? ' -r' : ''} -d ${fishQuoted(description)}`;
  };
  return `# ${name} completion fish > ~/.config/fish/completions/${name}.fish
function __${name}_at
  set -l at ${name}
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${reached(places).map(quoted).join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
${places.flatMap((place) => place.offered.map((one) => line(place, one))).join('\n')}
`;
}

/** Quotes a text for bash and zsh, where nothing within single quotes has a meaning. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
