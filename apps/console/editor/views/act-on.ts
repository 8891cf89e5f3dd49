import type { Command } from '../model/commands.js';
import { joined, MOST_CHARACTERS, split, without } from '../model/edits.js';
import type { Editor } from '../state/editor.js';
import type { Player } from '../state/player.js';
import { randomId } from '../state/random-id.js';

export type DialogName = 'speaker' | 'speakers' | 'versions' | 'export' | 'help';

/** What commands act on. */
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

interface Where {
  id?: string;
  caret?: number | null;
  /** In the text that is being edited. */
  selection?: { from: number; to: number } | null;
}

const STEP_SECONDS = 3;
const PAGE = 10;

/** Does what a command says; false when there is nothing to do, and the key is the browser's. */
export function actOn(
  desk: Desk,
  command: Command,
  { id = desk.focused ?? '', caret, selection }: Where = {},
): boolean {
  const { editor, player } = desk;
  const { paragraphs } = editor;
  const at = paragraphs.findIndex((each) => each.id === id);
  const own = paragraphs[at];
  const move = (to: number): boolean => {
    const other = paragraphs[Math.min(Math.max(to, 0), paragraphs.length - 1)];
    if (other === undefined) return false;
    if (desk.editing === null) desk.goTo(other.id);
    else desk.write(other.id, to < at ? other.text.length : 0);
    return true;
  };
  const end = (): void => {
    if (desk.editing === null) return;
    desk.write(null, 0);
    desk.goTo(desk.editing.id);
  };
  switch (command) {
    case 'toggle':
      player.toggle();
      return true;
    case 'back':
      player.seek(player.time - STEP_SECONDS);
      return true;
    case 'forward':
      player.seek(player.time + STEP_SECONDS);
      return true;
    case 'previousWord':
      return toWord(desk, -1);
    case 'nextWord':
      return toWord(desk, 1);
    case 'here':
      desk.follow();
      if (player.voice !== null) desk.goTo(player.voice.id, 'center');
      return true;
    case 'previous':
      return move(at - 1);
    case 'next':
      return move(at + 1);
    case 'pageUp':
      return move(at - PAGE);
    case 'pageDown':
      return move(at + PAGE);
    case 'first':
      return move(0);
    case 'last':
      return move(paragraphs.length - 1);
    case 'edit':
      if (own === undefined || !editor.mayWrite) return false;
      desk.write(id, caret ?? wordUnderTheVoice(desk, id) ?? own.text.length);
      return true;
    case 'done':
      end();
      return true;
    case 'split': {
      if (desk.editing === null || selection == null) return false;
      const made = `new-${randomId()}`;
      const next = split(paragraphs, desk.editing.id, selection.from, made);
      if (next === paragraphs) return true;
      editor.edit(next);
      desk.write(made, 0);
      return true;
    }
    case 'join': {
      if (selection !== undefined && selection !== null && selection.to > 0) return false;
      const whole = joined(paragraphs, id);
      if (whole === null) return false;
      const { length } = whole.paragraphs[at - 1]?.text ?? '';
      if (length > MOST_CHARACTERS) {
        const [are, most] = [length, MOST_CHARACTERS].map((count) => count.toLocaleString('en'));
        const why = `Together they would be ${are} characters long; a paragraph has at most ${most}.`;
        editor.say({ kind: 'bad', text: `${why} Both stay as they are.` });
        return true;
      }
      editor.edit(whole.paragraphs);
      desk.write(whole.into, whole.at);
      return true;
    }
    case 'speaker':
      end();
      desk.open('speaker');
      return true;
    case 'remove':
      if (own === undefined) return false;
      move(at === paragraphs.length - 1 ? at - 1 : at + 1);
      editor.edit(without(paragraphs, id));
      return true;
    case 'undo':
      editor.undo();
      return true;
    case 'redo':
      editor.redo();
      return true;
    case 'save':
      editor.endTyping();
      void editor.save();
      return true;
    case 'search':
      end();
      desk.search();
      return true;
    case 'help':
      desk.open('help');
      return true;
  }
}

/** Of what is being said, or of what has the focus. */
function toWord({ editor, player, focused }: Desk, step: 1 | -1): boolean {
  const { paragraphs } = editor;
  const id = player.voice?.id ?? focused;
  const at = paragraphs.findIndex((each) => each.id === id);
  const own = paragraphs[at];
  if (own === undefined) return false;
  const inside = player.voice?.id === own.id ? player.voice.word + step : 0;
  const word = own.words[inside] ?? (step > 0 ? paragraphs[at + 1]?.words[0] : paragraphs[at - 1]?.words.at(-1));
  player.seek(word?.time_start ?? own.time_start);
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
