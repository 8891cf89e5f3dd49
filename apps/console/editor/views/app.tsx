import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { commandFor, type Mode } from '../model/commands.js';
import { find } from '../model/search.js';
import type { Editor } from '../state/editor.js';
import type { Player } from '../state/player.js';
import { actOn, type Desk, type DialogName } from './act-on.js';
import { Conflicts } from './conflicts.js';
import { ExportDialog } from './export-dialog.js';
import { Feed, type FeedHandle } from './feed.js';
import { Header, titleOf } from './header.js';
import { HelpDialog } from './help-dialog.js';
import { Messages } from './messages.js';
import { useObserved } from './observed.js';
import type { RowActions } from './row.js';
import { SearchBar } from './search-bar.js';
import { SpeakerDialog, SpeakersDialog, speakersOf } from './speaker-dialogs.js';
import { Stage } from './stage.js';
import { VersionsDialog } from './versions-dialog.js';

const GOLDEN_ANGLE = 137.5;

export function App({ editor, player }: { editor: Editor; player: Player }) {
  useObserved(editor);
  const [focusedFirst, setFocused] = useState<string | null>(null);
  const [claim, setClaim] = useState(0);
  const [editing, setEditing] = useState<{ id: string; at: number } | null>(null);
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const [query, setQuery] = useState<string | null>(null);
  const [hitAt, setHitAt] = useState(0);
  const [follow, setFollow] = useState(true);
  const feed = useRef<FeedHandle>(null);
  const { paragraphs, opening, history } = editor;
  const focused = focusedFirst === null ? null : history.nameOf(focusedFirst);

  const names = [...speakersOf(paragraphs).keys()].filter((name) => name !== null).join('\n');
  const hues = useMemo(() => huesOf(names === '' ? [] : names.split('\n')), [names]);
  const hits = useMemo(() => (query === null ? [] : find(paragraphs, query)), [paragraphs, query]);
  useEffect(() => player.hear(paragraphs), [paragraphs]);
  useEffect(() => {
    if (editor.transcript !== null) document.title = `${titleOf(editor)} · Adit`;
  }, [editor.transcript, editor.access]);
  useEffect(() => {
    const stay = (event: BeforeUnloadEvent): void => {
      if (editor.unsaved > 0) event.preventDefault();
    };
    addEventListener('beforeunload', stay);
    return () => removeEventListener('beforeunload', stay);
  }, []);

  const show = (id: string, align: 'auto' | 'center' = 'auto'): void => {
    const at = editor.paragraphs.findIndex((each) => each.id === id);
    if (at >= 0) feed.current?.show(at, align);
  };
  const desk: Desk = {
    editor,
    player,
    focused: focused ?? paragraphs[0]?.id ?? null,
    editing: editing && { ...editing, id: history.nameOf(editing.id) },
    goTo: (id, align) => {
      setFocused(id);
      setClaim((turn) => turn + 1);
      show(id, align);
    },
    write: (id, at) => {
      editor.endTyping();
      setFocused(id);
      setClaim((turn) => turn + 1);
      setEditing(id === null ? null : { id, at });
      if (id !== null) show(id);
    },
    open: setDialog,
    search: () => setQuery((before) => before ?? ''),
    follow: () => setFollow(true),
  };
  // What is handed to rows stays the same, so that only those that changed are drawn.
  const latest = useRef(desk);
  latest.current = desk;
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
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target } = event;
      if (!(target instanceof HTMLElement) || event.defaultPrevented || target.closest('dialog') !== null) return;
      const isText = target instanceof HTMLTextAreaElement;
      const control = !isText && target.closest('button, input, select, a, label') !== null;
      if (control && !event.ctrlKey && !event.metaKey) return;
      const mode: Mode = isText ? 'writing' : 'reading';
      const command = commandFor(event, mode, latest.current.editor.mayWrite);
      if (command === null) return;
      const caret = isText ? { from: target.selectionStart, to: target.selectionEnd } : null;
      if (actOn(latest.current, command, { selection: caret })) event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);

  const step = (to: 1 | -1): void => {
    const next = (hitAt + to + hits.length) % hits.length;
    setHitAt(next);
    const hit = hits[next];
    if (hit !== undefined) {
      setFocused(hit.id);
      show(hit.id, 'center');
    }
  };
  if (opening.state !== 'open') return <Messages editor={editor} />;
  const close = (): void => setDialog(null);
  return (
    <div class="desk">
      <Header editor={editor} onOpen={setDialog} onSearch={desk.search} />
      <Messages editor={editor} />
      <main>
        <Stage editor={editor} player={player} hues={hues} follow={follow} onFollow={setFollow} />
        <section class="text-side" aria-label="Text">
          {query !== null && (
            <SearchBar
              query={query}
              at={hitAt}
              total={hits.length}
              onQuery={(text) => {
                setQuery(text);
                setHitAt(-1);
                const [first] = find(paragraphs, text);
                if (first !== undefined) show(first.id, 'center');
              }}
              onStep={step}
              onClose={() => {
                setQuery(null);
                if (desk.focused !== null) desk.goTo(desk.focused);
              }}
            />
          )}
          <Conflicts editor={editor} />
          {paragraphs.length === 0 ? (
            <p class="empty">Nothing was said here.</p>
          ) : (
            <Feed
              {...{ editor, player, hues, focused, claim, editing, hits, follow, actions }}
              handle={feed}
              onWheel={() => setFollow(false)}
            />
          )}
        </section>
      </main>
      {dialog === 'speaker' && desk.focused !== null && (
        <SpeakerDialog editor={editor} id={desk.focused} onClose={close} />
      )}
      {dialog === 'speakers' && <SpeakersDialog editor={editor} onClose={close} />}
      {dialog === 'versions' && <VersionsDialog editor={editor} onClose={close} />}
      {dialog === 'export' && <ExportDialog editor={editor} onClose={close} />}
      {dialog === 'help' && <HelpDialog mayWrite={editor.mayWrite} onClose={close} />}
    </div>
  );
}

/** Degrees, far from each other for those who speak first. */
function huesOf(names: string[]): Map<string, number> {
  return new Map(names.map((name, at) => [name, (250 + at * GOLDEN_ANGLE) % 360]));
}
