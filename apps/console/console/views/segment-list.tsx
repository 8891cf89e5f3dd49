import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useObserved } from '../../shared/observed.js';
import { useVirtualList } from '../../shared/virtual-list.js';
import { listText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import { titleOf, type Segment } from '../model/segments.js';
import { positionText } from '../model/time.js';
import type { JobDetail } from '../state/job-detail.js';
import type { Shuttle } from '../state/shuttle.js';
import { useModuleNames } from './module-names.js';
import { useRowKeys } from './row-keys.js';

const ROW_HEIGHT = 40;

interface SegmentListProps {
  segments: readonly Segment[];
  detail: JobDetail;
  shuttle: Shuttle;
  selected: Segment | null;
  select: (segment: Segment) => void;
}

/** All that the timeline shows, as a list. */
export function SegmentList({ segments, detail, shuttle, selected, select }: SegmentListProps) {
  useObserved(shuttle);
  const text = useMessages(listText);
  const nameOf = useModuleNames();
  const [search, setSearch] = useState('');
  const [module, setModule] = useState('');
  const [marked, setMarked] = useState(false);
  const { markIn, markOut } = shuttle;
  const modules = useMemo(() => [...new Set(segments.map((each) => each.module))], [segments]);
  const shown = useMemo(() => {
    const wanted = search.trim().toLowerCase();
    const [from, to] = marked ? [markIn ?? 0, markOut ?? Infinity] : [0, Infinity];
    return segments
      .filter((each) => (module === '' || each.module === module) && each.end >= from && each.start <= to)
      .filter((each) => wanted === '' || titleOf(each).toLowerCase().includes(wanted))
      .sort((a, b) => a.start - b.start || a.index - b.index);
  }, [segments, search, module, marked, markIn, markOut]);
  return (
    <div class="segments">
      <form role="search" onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          aria-label={text.filter}
          placeholder={text.filter}
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <select
          aria-label={text.ofModule}
          value={module}
          onChange={({ currentTarget }) => setModule(currentTarget.value)}
        >
          <option value="">{text.allModules}</option>
          {modules.map((id) => (
            <option key={id} value={id}>
              {nameOf(id)}
            </option>
          ))}
        </select>
        {(markIn !== null || markOut !== null) && (
          <label class="check">
            <input
              type="checkbox"
              checked={marked}
              onChange={({ currentTarget }) => setMarked(currentTarget.checked)}
            />
            <span>{text.inMarks}</span>
          </label>
        )}
        <small role="status">{shown.length === 0 ? text.none : text.shown(shown.length)}</small>
      </form>
      <Items {...{ shown, selected, select, detail, fps: shuttle.fps }} />
    </div>
  );
}

interface ItemsProps {
  shown: readonly Segment[];
  selected: Segment | null;
  select: (segment: Segment) => void;
  detail: JobDetail;
  fps: number | null;
}

function Items({ shown, selected, select, detail, fps }: ItemsProps) {
  const nameOf = useModuleNames();
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<number | null>(null);
  const virtual = useVirtualList({
    count: shown.length,
    scroller: () => scroller.current,
    keyOf: (index) => String(shown[index]?.index ?? `none-${index}`),
    estimate: () => ROW_HEIGHT,
    kept: focused,
  });
  const at = selected === null ? -1 : shown.indexOf(selected);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
  }, [at]);
  const onKeyDown = useRowKeys(scroller, { virtual, count: shown.length, focused, setFocused, target: 'button' });
  return (
    <div class="scroll" ref={scroller} onKeyDown={onKeyDown}>
      <ul style={{ height: `${virtual.getTotalSize()}px` }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const segment = shown[index];
          if (segment === undefined) return null;
          const isSelected = segment === selected;
          return (
            <li
              key={key}
              data-index={index}
              ref={(element) => virtual.measureElement(element)}
              style={{ transform: `translateY(${start}px)` }}
              aria-setsize={shown.length}
              aria-posinset={index + 1}
            >
              <button
                type="button"
                class={isSelected ? 'segment selected' : 'segment'}
                aria-current={isSelected}
                onFocus={() => setFocused(index)}
                onClick={() => select(segment)}
              >
                <span class="tc">{fps === null ? positionText(segment.start, null) : segment.tcStart}</span>
                <span class="title">{titleOf(segment)}</span>
                <span class="of">{nameOf(segment.module)}</span>
                <span class="sure">
                  {segment.confidence === null ? '' : `${Math.round(segment.confidence * 100)} %`}
                </span>
              </button>
              {isSelected && <SegmentPicture segment={segment} detail={detail} />}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The picture of what is selected, read when it is. */
function SegmentPicture({ segment, detail }: { segment: Segment; detail: JobDetail }) {
  const [picture, setPicture] = useState<string | null>(null);
  useEffect(() => {
    let isShown = true;
    void detail
      .picture(segment)
      .then((found) => isShown && setPicture(found))
      // It is an ornament: without it the list says the same.
      .catch(() => undefined);
    return () => void (isShown = false);
  }, [segment]);
  return picture === null ? null : <img class="thumbnail" src={picture} alt="" />;
}
