/** All commands with their keys. `Mod` is Ctrl, on a Mac also Command. */
export const COMMANDS = {
  toggle: { label: 'Play, pause', reading: ['Space', 'K'], writing: ['Alt+K'] },
  back: { label: 'Back 3 seconds', reading: ['J'], writing: ['Alt+J'] },
  forward: { label: 'On 3 seconds', reading: ['L'], writing: ['Alt+L'] },
  previousWord: { label: 'To the word before', reading: ['ArrowLeft'] },
  nextWord: { label: 'To the next word', reading: ['ArrowRight'] },
  here: { label: 'To where the voice is', reading: ['G'] },
  previous: { label: 'Paragraph before', reading: ['ArrowUp'], writing: ['Alt+ArrowUp'] },
  next: { label: 'Next paragraph', reading: ['ArrowDown'], writing: ['Alt+ArrowDown', 'Mod+Enter'] },
  pageUp: { label: 'Ten paragraphs back', reading: ['PageUp'] },
  pageDown: { label: 'Ten paragraphs on', reading: ['PageDown'] },
  first: { label: 'First paragraph', reading: ['Home'] },
  last: { label: 'Last paragraph', reading: ['End'] },
  edit: { label: 'Edit the paragraph', reading: ['Enter', 'F2'], writes: true },
  done: { label: 'End of the edit', writing: ['Escape'], writes: true },
  split: { label: 'Split the paragraph here', writing: ['Enter'], writes: true },
  /** In `writing` only with the caret at the beginning of the paragraph. */
  join: { label: 'Join with the paragraph before', reading: ['M'], writing: ['Backspace'], writes: true },
  speaker: { label: 'Who speaks', reading: ['S'], writing: ['Alt+S'], writes: true },
  remove: { label: 'Delete the paragraph', reading: ['Shift+Delete'], writes: true },
  undo: { label: 'Undo', reading: ['Mod+Z'], writes: true },
  redo: { label: 'Redo', reading: ['Mod+Shift+Z', 'Mod+Y'], writes: true },
  save: { label: 'Save', reading: ['Mod+S'], writing: ['Mod+S'], writes: true },
  search: { label: 'Search', reading: ['/', 'Mod+F'], writing: ['Mod+F'] },
  help: { label: 'These keys', reading: ['?'] },
} satisfies Record<string, { label: string; reading?: string[]; writing?: string[]; writes?: true }>;

export type Command = keyof typeof COMMANDS;
export type Mode = 'reading' | 'writing';

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

const ENTRIES = Object.entries(COMMANDS).map(([name, entry]) => {
  const keys: Partial<Record<Mode, string[]>> = entry;
  return { name, keys, writes: 'writes' in entry };
});

export function isCommand(name: string): name is Command {
  return Object.hasOwn(COMMANDS, name);
}

/** The command of a key; null for none. In `writing` a text is being edited, and its own keys stay what they are. */
export function commandFor(pressed: Pressed, mode: Mode, mayWrite: boolean): Command | null {
  const chord = chordOf(pressed);
  const found = ENTRIES.find(({ keys, writes }) => (mayWrite || !writes) && keys[mode]?.includes(chord));
  return found !== undefined && isCommand(found.name) ? found.name : null;
}

/** The keys of a command in a mode; empty when it has none. */
export function keysOf(command: Command, mode: Mode): string[] {
  const keys: Partial<Record<Mode, string[]>> = COMMANDS[command];
  return keys[mode] ?? [];
}

function chordOf({ key, code, ctrlKey, metaKey, altKey, shiftKey }: Pressed): string {
  const mod = ctrlKey || metaKey;
  // With Alt, macOS types other characters: the physical key counts.
  const letter = altKey ? /^Key([A-Z])$/.exec(code)?.[1] : undefined;
  const name = letter ?? (key === ' ' ? 'Space' : key.length === 1 ? key.toUpperCase() : key);
  // Shift is part of signs such as "?".
  const shift = shiftKey && (name.length > 1 || /[A-Z]/.test(name));
  return [mod && 'Mod', altKey && 'Alt', shift && 'Shift', name].filter((part) => part !== false).join('+');
}
