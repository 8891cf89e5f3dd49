import { useEffect, useImperativeHandle, useMemo, useRef } from 'preact/hooks';
import type { Ref, RefObject } from 'preact';
import type { Paragraph, Paragraphs } from '../model/paragraph.js';
import type { Hit } from '../model/search.js';
import { isUnsaved, type Editor } from '../state/editor.js';
import type { Player } from '../state/player.js';
import { useObserved } from '../../shared/observed.js';
import { Row, type RowActions } from './row.js';
import { useVirtualList } from '../../shared/virtual-list.js';

export interface FeedHandle {
  show(index: number, align: 'auto' | 'center'): void;
}

interface FeedProps {
  editor: Editor;
  player: Player;
  handle: Ref<FeedHandle>;
  hues: ReadonlyMap<string, number>;
  focused: string | null;
  claim: number;
  editing: { id: string; at: number } | null;
  hits: readonly Hit[];
  follow: boolean;
  onWheel: () => void;
  actions: RowActions;
}

/** The paragraphs as a list, of which only those near the visible part are in the page. */
export function Feed(props: FeedProps) {
  const { editor, player, handle, hues, focused, claim, editing, hits, follow, onWheel, actions } = props;
  useObserved(player);
  const scroller = useRef<HTMLDivElement>(null);
  const { paragraphs } = editor;
  const saved = useMemo(() => byId(editor.base.paragraphs), [editor.base.paragraphs]);
  const places = useMemo(() => new Map(paragraphs.map(({ id }, at) => [id, at])), [paragraphs]);
  const hitsOf = useMemo(() => hitsByParagraph(hits), [hits]);
  const list = useParagraphList(editor, scroller, focused === null ? null : (places.get(focused) ?? null));
  useImperativeHandle(handle, () => ({ show: (index, align) => list.scrollToIndex(index, { align }) }), [list]);

  const voiced = player.voice?.id;
  useEffect(() => {
    const at = voiced === undefined ? undefined : places.get(voiced);
    if (follow && player.playing && at !== undefined) list.scrollToIndex(at, { align: 'center' });
  }, [voiced, follow, player.playing]);

  // A save gives a new paragraph another id; editing goes on in it.
  const edited = editing === null ? null : editor.history.nameOf(editing.id);
  const caret = useMemo(() => (editing === null ? null : { at: editing.at }), [editing]);
  const first = focused ?? paragraphs[0]?.id;
  const height = `${list.getTotalSize()}px`;
  return (
    <div class="scroll" ref={scroller} onWheel={onWheel} onTouchMove={onWheel}>
      <div role="feed" aria-label="Transcript" aria-busy={editor.coming !== null} style={{ height }}>
        {list.getVirtualItems().map(({ index, start }) => {
          const paragraph = paragraphs[index];
          if (paragraph === undefined) return null;
          const { id, speaker } = paragraph;
          return (
            <Row
              key={editor.history.firstNameOf(id)}
              paragraph={paragraph}
              index={index}
              total={editor.coming ?? paragraphs.length}
              hue={speaker === null ? null : (hues.get(speaker) ?? null)}
              top={start}
              isFocused={id === first}
              claim={id === focused ? claim : 0}
              caret={edited === id ? caret : null}
              word={player.voice?.id === id ? player.voice.word : null}
              hits={hitsOf.get(id) ?? null}
              isUnsaved={isUnsaved(paragraph, saved)}
              mayWrite={editor.mayWrite}
              measure={list.measureElement}
              actions={actions}
            />
          );
        })}
      </div>
    </div>
  );
}

function useParagraphList(editor: Editor, scroller: RefObject<HTMLDivElement | null>, kept: number | null) {
  const { paragraphs } = editor;
  return useVirtualList({
    count: paragraphs.length,
    scroller: () => scroller.current,
    keyOf: (index) => editor.history.firstNameOf(paragraphs[index]?.id ?? String(index)),
    estimate: (index) => 58 + 26 * Math.ceil((paragraphs[index]?.text.length ?? 0) / 70),
    kept,
  });
}

function hitsByParagraph(hits: readonly Hit[]): Map<string, Hit[]> {
  const groups = new Map<string, Hit[]>();
  for (const hit of hits) {
    const group = groups.get(hit.id);
    if (group === undefined) groups.set(hit.id, [hit]);
    else group.push(hit);
  }
  return groups;
}

function byId(paragraphs: Paragraphs): Map<string, Paragraph> {
  return new Map(paragraphs.map((each) => [each.id, each]));
}
