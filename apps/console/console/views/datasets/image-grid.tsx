import { useLayoutEffect, useEffect, useRef, useState } from 'preact/hooks';
import { useVirtualList } from '../../../shared/virtual-list.js';
import { useMessages } from '../../messages/i18n.js';
import { imagesText } from '../../messages/datasets.en.js';
import { chosen, columnsIn, GAP, TILE, tileAfter } from '../../model/image-grid.js';
import type { ClassImages } from '../../state/datasets/class-images.js';
import type { Pictures } from '../../state/pictures.js';
import { SmallPicture } from '../small-picture.js';

/** Rows before the end of what was read at which the next page is asked for. */
const AHEAD = 10;
const ROW = TILE + GAP;

interface ImageGridProps {
  images: ClassImages;
  pictures: Pictures;
  selected: ReadonlySet<string>;
  setSelected: (selected: ReadonlySet<string>) => void;
  look: (at: number) => void;
  askToRemove: () => void;
}

/** Images side by side, of which only those near the visible part are in the page. */
export function ImageGrid({ images, pictures, selected, setSelected, look, askToRemove }: ImageGridProps) {
  const text = useMessages(imagesText);
  const scroller = useRef<HTMLDivElement>(null);
  const [columns, setColumns] = useState(1);
  const [focused, setFocused] = useState(0);
  const { images: all, total, isWhole, loading, fault, place } = images;
  const rows = Math.ceil(all.length / columns);
  useColumns(scroller, setColumns);
  const virtual = useVirtualList({
    count: rows,
    scroller: () => scroller.current,
    keyOf: (index) => String(index),
    estimate: () => ROW,
    kept: Math.floor(focused / columns),
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (!isWhole && !loading && fault === null && last >= rows - AHEAD) void images.more();
  }, [last, rows, isWhole, loading, fault]);
  const goTo = useGoTo(scroller, virtual, { columns, setFocused });
  const choose = (at: number, stretches: boolean): void => {
    const from = stretches ? focused : null;
    setSelected(
      chosen(
        selected,
        all.map(({ id }) => id),
        { at, from },
      ),
    );
    setFocused(at);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const inSight = Math.max(1, Math.floor((scroller.current?.clientHeight ?? ROW) / ROW));
    const to = tileAfter(event.key, { at: focused, columns, count: all.length, rows: inSight });
    if (event.key === ' ') choose(focused, false);
    else if (event.key === 'Enter') look(focused);
    else if (event.key === 'Delete') askToRemove();
    else if (event.key === 'a' && event.ctrlKey) setSelected(new Set(all.map(({ id }) => id)));
    else if (to !== null) {
      if (event.shiftKey) choose(to, true);
      goTo(to);
    } else return;
    event.preventDefault();
  };
  return (
    <div class="grid" ref={scroller}>
      <div
        role="listbox"
        aria-multiselectable
        aria-label={text.which}
        style={{ height: `${virtual.getTotalSize()}px` }}
        onKeyDown={onKeyDown}
      >
        {shown.flatMap(({ index, start }) =>
          all.slice(index * columns, (index + 1) * columns).map((image, column) => {
            const at = index * columns + column;
            const finding = image.evaluation_result.face_clustering;
            const isFault = finding !== undefined && finding !== 'match';
            const name = isFault
              ? text.looked({ number: at + 1, finding: text[finding] })
              : text.imageOf({ number: at + 1 });
            return (
              <div
                key={image.id}
                role="option"
                data-index={at}
                class={image.active ? 'tile' : 'tile inactive'}
                aria-selected={selected.has(image.id)}
                aria-label={name}
                aria-setsize={total}
                aria-posinset={at + 1}
                tabIndex={at === Math.min(focused, all.length - 1) ? 0 : -1}
                style={{ top: `${start}px`, left: `${column * ROW}px` }}
                onClick={({ shiftKey }) => choose(at, shiftKey)}
                onDblClick={() => look(at)}
                onFocus={() => setFocused(at)}
              >
                <SmallPicture pictures={pictures} place={{ ...place, imageId: image.id }} />
                {isFault && <span class="finding">{text[finding]}</span>}
              </div>
            );
          }),
        )}
      </div>
    </div>
  );
}

/** Follows how many tiles fit beside each other. */
function useColumns(scroller: { current: HTMLElement | null }, tell: (columns: number) => void): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = (): void => tell(columnsIn(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}

/** Moves the focus to a tile, also to one that is not in the page yet. */
function useGoTo(
  scroller: { current: HTMLElement | null },
  virtual: { scrollToIndex: (row: number) => void },
  { columns, setFocused }: { columns: number; setFocused: (at: number) => void },
): (at: number) => void {
  return (at) => {
    setFocused(at);
    virtual.scrollToIndex(Math.floor(at / columns));
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-index="${at}"]`)?.focus({ preventScroll: true });
    });
  };
}
