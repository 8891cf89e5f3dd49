import { randomId } from '@adit/client';
import type { Command } from '../model/commands.js';
import { joined, MAX_CHARACTERS, split, without } from '../model/edits.js';
import type { Paragraph, Paragraphs } from '../model/paragraph.js';
import type { Editor } from '../state/editor.js';
import type { Player } from '../state/player.js';

export type DialogName = 'speaker' | 'speakers' | 'versions' | 'export' | 'help';

/** State and actions of the page that commands use. */
export interface Desk {
  editor: Editor;
  player: Player;
  /** The paragraph that has the focus. */
  focused: string | null;
  editing: { id: string; at: number } | null;
  goTo: (id: string, align?: 'auto' | 'center') => void;
  /** Begins to edit a paragraph with the caret there, or ends editing. */
  write: (id: string | null, at: number) => void;
  open: (dialog: DialogName) => void;
  search: () => void;
  follow: () => void;
}

interface Place {
  id?: string;
  caret?: number | null;
  /** In the text that is being edited. */
  selection?: { from: number; to: number } | null;
}

/** The paragraph that a command acts on, and the page around it. */
interface Target {
  desk: Desk;
  paragraphs: Paragraphs;
  id: string;
  /** Index of the paragraph; -1 when it does not exist. */
  at: number;
  paragraph: Paragraph | undefined;
  caret: number | null | undefined;
  selection: { from: number; to: number } | null | undefined;
}

type Action = (target: Target) => boolean;

const STEP_SECONDS = 3;
const PAGE = 10;

const ACTIONS: Record<Command, Action> = {
  toggle: always(({ desk }) => desk.player.toggle()),
  back: always(({ desk: { player } }) => player.seek(player.time - STEP_SECONDS)),
  forward: always(({ desk: { player } }) => player.seek(player.time + STEP_SECONDS)),
  previousWord: ({ desk }) => toWord(desk, -1),
  nextWord: ({ desk }) => toWord(desk, 1),
  here: always(({ desk }) => {
    desk.follow();
    if (desk.player.voice !== null) desk.goTo(desk.player.voice.id, 'center');
  }),
  previous: (target) => move(target, target.at - 1),
  next: (target) => move(target, target.at + 1),
  pageUp: (target) => move(target, target.at - PAGE),
  pageDown: (target) => move(target, target.at + PAGE),
  first: (target) => move(target, 0),
  last: (target) => move(target, target.paragraphs.length - 1),
  edit: beginEdit,
  done: always(({ desk }) => endEdit(desk)),
  split: splitParagraph,
  join: joinParagraphs,
  speaker: always(({ desk }) => {
    endEdit(desk);
    desk.open('speaker');
  }),
  remove: removeParagraph,
  undo: always(({ desk }) => desk.editor.undo()),
  redo: always(({ desk }) => desk.editor.redo()),
  save: always(({ desk: { editor } }) => {
    editor.endTyping();
    void editor.save();
  }),
  search: always(({ desk }) => {
    endEdit(desk);
    desk.search();
  }),
  help: always(({ desk }) => desk.open('help')),
};

/** Runs a command; false when there is nothing to do, and the browser handles the key. */
export function actOn(
  desk: Desk,
  command: Command,
  { id = desk.focused ?? '', caret, selection }: Place = {},
): boolean {
  const { paragraphs } = desk.editor;
  const at = paragraphs.findIndex((each) => each.id === id);
  return ACTIONS[command]({ desk, paragraphs, id, at, paragraph: paragraphs[at], caret, selection });
}

/** An action that always takes the key. */
function always(act: (target: Target) => void): Action {
  return (target) => {
    act(target);
    return true;
  };
}

function move({ desk, paragraphs, at }: Target, to: number): boolean {
  const other = paragraphs[Math.min(Math.max(to, 0), paragraphs.length - 1)];
  if (other === undefined) return false;
  if (desk.editing === null) desk.goTo(other.id);
  else desk.write(other.id, to < at ? other.text.length : 0);
  return true;
}

function beginEdit({ desk, id, paragraph, caret }: Target): boolean {
  if (paragraph === undefined || !desk.editor.mayWrite) return false;
  desk.write(id, caret ?? wordUnderTheVoice(desk, id) ?? paragraph.text.length);
  return true;
}

function endEdit(desk: Desk): void {
  if (desk.editing === null) return;
  desk.write(null, 0);
  desk.goTo(desk.editing.id);
}

function splitParagraph({ desk, paragraphs, selection }: Target): boolean {
  if (desk.editing === null || selection == null) return false;
  const made = `new-${randomId()}`;
  const next = split(paragraphs, desk.editing.id, selection.from, made);
  if (next === paragraphs) return true;
  desk.editor.edit(next);
  desk.write(made, 0);
  return true;
}

function joinParagraphs({ desk, paragraphs, id, at, selection }: Target): boolean {
  if (selection !== undefined && selection !== null && selection.to > 0) return false;
  const whole = joined(paragraphs, id);
  if (whole === null) return false;
  const { length } = whole.paragraphs[at - 1]?.text ?? '';
  if (length > MAX_CHARACTERS) {
    const [actual, max] = [length, MAX_CHARACTERS].map((count) => count.toLocaleString('en'));
    const why = `Together they would be ${actual} characters long; a paragraph has at most ${max}.`;
    desk.editor.say({ kind: 'bad', text: `${why} Both stay as they are.` });
    return true;
  }
  desk.editor.edit(whole.paragraphs);
  desk.write(whole.into, whole.at);
  return true;
}

function removeParagraph(target: Target): boolean {
  const { desk, paragraphs, id, at, paragraph } = target;
  if (paragraph === undefined) return false;
  move(target, at === paragraphs.length - 1 ? at - 1 : at + 1);
  desk.editor.edit(without(paragraphs, id));
  return true;
}

/** Seeks to the word before or after the one that is spoken, or into the focused paragraph. */
function toWord({ editor, player, focused }: Desk, step: 1 | -1): boolean {
  const { paragraphs } = editor;
  const id = player.voice?.id ?? focused;
  const at = paragraphs.findIndex((each) => each.id === id);
  const paragraph = paragraphs[at];
  if (paragraph === undefined) return false;
  const inside = player.voice?.id === paragraph.id ? player.voice.word + step : 0;
  const word = paragraph.words[inside] ?? (step > 0 ? paragraphs[at + 1]?.words[0] : paragraphs[at - 1]?.words.at(-1));
  player.seek(word?.time_start ?? paragraph.time_start);
  return true;
}

function wordUnderTheVoice({ editor, player }: Desk, id: string): number | null {
  if (player.voice?.id !== id) return null;
  const paragraph = editor.paragraphs.find((each) => each.id === id);
  let at = 0;
  for (const { text } of paragraph?.words.slice(0, player.voice.word + 1) ?? []) {
    const from = paragraph?.text.indexOf(text, at) ?? -1;
    if (from < 0) continue;
    at = from + text.length;
  }
  return at;
}
