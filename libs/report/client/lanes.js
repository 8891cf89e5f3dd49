// Parts of a timeline: lanes of people and things, bars, and words for what was read or where it was.
import { data, el, kindName, kindOrder, pictureUrl, rankOf, select, tint, written } from './page.js';
import { shownFor } from './time.js';

/** Kinds of which one thing follows the other: all in one lane, with their words beside the bars. */
const IN_WORDS = new Set(['lower_third', 'speech', 'translation', 'landmark', 'scene']);
/** Rows in such a lane, so that words have room until the next but so many. */
const WORD_ROWS = 3;

/** Lanes in the order shown: by kind, longest first, the unknown last. */
export function lanesOf(sourceIndex) {
  const lanes = new Map();
  data.segments.forEach((segment, index) => {
    if (segment.sourceIndex !== sourceIndex) return;
    const inWords = IN_WORDS.has(segment.type);
    const label = inWords ? kindName(segment.type) : segment.label;
    const key = `${segment.type}\n${label}`;
    const lane = lanes.get(key) ?? {
      type: segment.type,
      inWords,
      label,
      rank: rankOf(segment),
      total: 0,
      thumbnail: null,
      best: -1,
      bars: [],
    };
    lane.total += segment.timeEnd - segment.timeStart;
    if (!inWords && segment.thumbnail !== null && segment.confidence > lane.best) {
      lane.best = segment.confidence;
      lane.thumbnail = segment.thumbnail;
    }
    lane.bars.push(index);
    lanes.set(key, lane);
  });
  const kind = ({ type }) => Math.min(kindOrder(type), 99);
  return [...lanes.values()].sort(
    (a, b) => kind(a) - kind(b) || a.type.localeCompare(b.type) || a.rank - b.rank || b.total - a.total,
  );
}

export function laneName(lane) {
  return el(
    'div',
    { className: 'lane-name', title: lane.label },
    lane.inWords
      ? null
      : lane.thumbnail === null
        ? el('i', {})
        : el('img', { src: pictureUrl(lane.thumbnail), alt: '' }),
    el(
      'span',
      {},
      lane.label,
      el('small', {}, lane.inWords ? `${lane.bars.length} shown` : shownFor(lane.total, lane.bars.length)),
    ),
  );
}

export function grouped(lanes) {
  const groups = new Map();
  for (const lane of lanes) groups.set(lane.type, [...(groups.get(lane.type) ?? []), lane]);
  return groups;
}

/** A button that has the other lanes of its kind built in its place. */
export function moreLanes(type, count, build) {
  const text = `Show ${count} more: ${kindName(type).toLowerCase()}`;
  const button = el('button', { type: 'button', className: 'unfold', onclick: build }, text);
  return el('div', { className: 'lane more' }, el('div', { className: 'lane-name' }, button));
}

const percent = (part) => `${(100 * part).toFixed(4)}%`;

export function makeBar(index, end, bars, ...content) {
  const segment = data.segments[index];
  const bar = el(
    'button',
    {
      type: 'button',
      className: 'seg',
      tabIndex: -1,
      'data-segment': index,
      'aria-label': `${written(segment)}, ${segment.tcStart} to ${segment.tcEnd}`,
      onclick: () => select(index, 'timeline'),
      onfocus: () => select(index, 'timeline'),
    },
    ...content,
  );
  bar.style.left = percent(segment.timeStart / end);
  bar.style.width = percent((segment.timeEnd - segment.timeStart) / end);
  bars.set(index, bar);
  return bar;
}

/** A bar with its words below it, which have room until the next bar of their row. */
export function makeWords(lane, at, end, bars) {
  const segment = data.segments[lane[at]];
  const next = data.segments[lane[at + WORD_ROWS]]?.timeStart ?? end;
  const room = Math.max(next, segment.timeEnd) - segment.timeStart;
  const strip = el('i', {});
  strip.style.width = percent(room === 0 ? 1 : (segment.timeEnd - segment.timeStart) / room);
  const bar = makeBar(lane[at], end, bars, strip, el('span', {}, written(segment)));
  bar.style.width = percent(room / end);
  bar.style.setProperty('--row', String(at % WORD_ROWS));
  return tint(bar, segment.label);
}
