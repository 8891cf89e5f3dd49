import { useRef, useState } from 'preact/hooks';
import type { Editor } from '../state/editor.js';
import type { Player } from '../state/player.js';
import { actOn, type Desk, type DialogName } from './act-on.js';
import type { FeedHandle } from './feed.js';
import type { RowActions } from './row.js';
import { useSearch } from './search-state.js';

/** Holds the state of the page: focus, caret, open dialog, search and whether the text follows the voice. */
export function useDesk(editor: Editor, player: Player) {
  const [focusedFirst, setFocused] = useState<string | null>(null);
  const [claim, setClaim] = useState(0);
  const [editing, setEditing] = useState<{ id: string; at: number } | null>(null);
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const [follow, setFollow] = useState(true);
  const feed = useRef<FeedHandle>(null);
  const { paragraphs, history } = editor;
  const search = useSearch(paragraphs);
  const focused = focusedFirst === null ? null : history.nameOf(focusedFirst);

  const show = (id: string, align: 'auto' | 'center' = 'auto'): void => {
    const at = editor.paragraphs.findIndex((each) => each.id === id);
    if (at >= 0) feed.current?.show(at, align);
  };
  const claimFocus = (id: string | null): void => {
    setFocused(id);
    setClaim((count) => count + 1);
  };
  const desk: Desk = {
    editor,
    player,
    focused: focused ?? paragraphs[0]?.id ?? null,
    editing: editing && { ...editing, id: history.nameOf(editing.id) },
    goTo: (id, align) => {
      claimFocus(id);
      show(id, align);
    },
    write: (id, at) => {
      editor.endTyping();
      claimFocus(id);
      setEditing(id === null ? null : { id, at });
      if (id !== null) show(id);
    },
    open: setDialog,
    search: search.open,
    follow: () => setFollow(true),
  };
  return { desk, feed, search, focused, setFocused, claim, editing, dialog, setDialog, follow, setFollow, show };
}

/** Keeps the actions of rows identical between draws, so that only changed rows are drawn. */
export function useRowActions(
  latest: { readonly current: Desk },
  setFocused: (id: string) => void,
  setDialog: (dialog: DialogName) => void,
): RowActions {
  const [actions] = useState<RowActions>(() => ({
    jump: (seconds) => latest.current.player.seek(seconds),
    focus: setFocused,
    edit: (id, caret) => actOn(latest.current, 'edit', { id, caret }),
    type: (id, text) => latest.current.editor.type(id, text),
    endTyping: () => latest.current.editor.endTyping(),
    askSpeaker: (id) => {
      setFocused(id);
      setDialog('speaker');
    },
  }));
  return actions;
}
