import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Paragraphs } from '../model/paragraph.js';
import type { Editor } from '../state/editor.js';
import type { Player } from '../state/player.js';
import type { Desk, DialogName } from './act-on.js';
import { Conflicts } from './conflicts.js';
import { useDesk, useRowActions } from './desk.js';
import { ExportDialog } from './export-dialog.js';
import { Feed } from './feed.js';
import { Header } from './header.js';
import { HelpDialog } from './help-dialog.js';
import { Messages } from './messages.js';
import { useObserved } from '../../shared/observed.js';
import { useLeaveGuard, useShortcuts, useTitle } from './page-effects.js';
import { SearchBar } from './search-bar.js';
import { SpeakerDialog, SpeakersDialog, speakersOf } from './speaker-dialogs.js';
import { Stage } from './stage.js';
import { VersionsDialog } from './versions-dialog.js';

const GOLDEN_ANGLE = 137.5;

export function App({ editor, player }: { editor: Editor; player: Player }) {
  useObserved(editor);
  const { paragraphs, opening } = editor;
  const page = useDesk(editor, player);
  const { desk, feed, search, focused, claim, editing, dialog, setDialog, follow, setFollow } = page;
  const hues = useHues(paragraphs);
  useEffect(() => player.setParagraphs(paragraphs), [paragraphs]);
  useTitle(editor);
  useLeaveGuard(editor);
  const latest = useRef(desk);
  latest.current = desk;
  const actions = useRowActions(latest, page.setFocused, setDialog);
  useShortcuts(latest);
  if (opening.state !== 'open') return <Messages editor={editor} />;
  return (
    <div class="desk">
      <Header editor={editor} onOpen={setDialog} onSearch={desk.search} />
      <Messages editor={editor} />
      <main>
        <Stage editor={editor} player={player} hues={hues} follow={follow} onFollow={setFollow} />
        <section class="text-side" aria-label="Text">
          <Search page={page} />
          <Conflicts editor={editor} />
          {paragraphs.length === 0 ? (
            <p class="empty">Nothing was said here.</p>
          ) : (
            <Feed
              {...{ editor, player, hues, focused, claim, editing, hits: search.hits, follow, actions }}
              handle={feed}
              onWheel={() => setFollow(false)}
            />
          )}
        </section>
      </main>
      <Dialogs desk={desk} dialog={dialog} onClose={() => setDialog(null)} />
    </div>
  );
}

function Search({ page: { desk, search, setFocused, show } }: { page: ReturnType<typeof useDesk> }) {
  if (search.query === null) return null;
  return (
    <SearchBar
      query={search.query}
      at={search.at}
      total={search.hits.length}
      onQuery={(text) => {
        const first = search.enter(text);
        if (first !== undefined) show(first.id, 'center');
      }}
      onStep={(to) => {
        const hit = search.step(to);
        if (hit === undefined) return;
        setFocused(hit.id);
        show(hit.id, 'center');
      }}
      onClose={() => {
        search.close();
        if (desk.focused !== null) desk.goTo(desk.focused);
      }}
    />
  );
}

interface DialogsProps {
  desk: Desk;
  dialog: DialogName | null;
  onClose: () => void;
}

function Dialogs({ desk: { editor, focused }, dialog, onClose }: DialogsProps) {
  switch (dialog) {
    case 'speaker':
      return focused === null ? null : <SpeakerDialog editor={editor} id={focused} onClose={onClose} />;
    case 'speakers':
      return <SpeakersDialog editor={editor} onClose={onClose} />;
    case 'versions':
      return <VersionsDialog editor={editor} onClose={onClose} />;
    case 'export':
      return <ExportDialog editor={editor} onClose={onClose} />;
    case 'help':
      return <HelpDialog mayWrite={editor.mayWrite} onClose={onClose} />;
    case null:
      return null;
  }
}

/** Hues in degrees, far apart for the speakers who come first; another map only when the names change. */
function useHues(paragraphs: Paragraphs): Map<string, number> {
  const names = [...speakersOf(paragraphs).keys()].filter((name) => name !== null).join('\n');
  return useMemo(() => huesOf(names === '' ? [] : names.split('\n')), [names]);
}

function huesOf(names: string[]): Map<string, number> {
  return new Map(names.map((name, at) => [name, (250 + at * GOLDEN_ANGLE) % 360]));
}
