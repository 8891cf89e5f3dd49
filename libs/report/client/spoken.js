// Spoken words beside the film: the line and the word under the voice light up, a click jumps to them.
import { data, el, kindName } from './page.js';
import { clockTime } from './time.js';

const WORD_VALUES = 4;

/** Writes what is said in a source into `host`; returns whether there is anything. */
export function startSpoken(host, sourceIndex, clock) {
  for (const type of ['speech', 'translation']) {
    const indices = [];
    data.segments.forEach((segment, index) => {
      if (segment.sourceIndex === sourceIndex && segment.type === type && segment.meta.text) indices.push(index);
    });
    if (indices.length > 0) host.append(textLines(indices, kindName(type), clock));
  }
  return host.childElementCount > 0;
}

function textLines(indices, name, clock) {
  const rows = indices.map((index, at) => textLine(data.segments[index], clock, newSpeaker(indices, at)));
  const list = el('ol', { className: 'lines' }, ...rows.map(({ row }) => row));
  // Words become elements of their own when they are seen: three hours have thirty thousand.
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        rows[[...list.children].indexOf(target)].part();
      }
    },
    { root: list, rootMargin: '200px' },
  );
  for (const { row } of rows) observer.observe(row);
  let current = -1;
  clock.listen((time, playing) => {
    let at = lastBegun(indices, time);
    if (at >= 0 && time > data.segments[indices[at]].timeEnd + 0.5) at = -1;
    if (at !== current) {
      rows[current]?.leave();
      current = at;
      const row = rows[at]?.row;
      row?.setAttribute('aria-current', 'true');
      if (row) keepInView(list, row, playing);
    }
    rows[at]?.light(time);
  });
  return el('section', { className: 'said', 'aria-label': name }, el('h3', {}, name), list);
}

/** Who begins to speak with a line; null where the same goes on, and where nobody is told apart. */
function newSpeaker(indices, at) {
  const speakerAt = (place) => data.segments[indices[place]]?.meta.speaker ?? null;
  return speakerAt(at) === speakerAt(at - 1) ? null : speakerAt(at);
}

/** The last line that has begun at a time; −1 before the first. */
function lastBegun(indices, time) {
  let [low, high] = [0, indices.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (data.segments[indices[middle]].timeStart <= time + 0.02) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function textLine(segment, clock, speaker) {
  const { text } = segment.meta;
  const paragraph = el('p', {}, text);
  const button = el(
    'button',
    { type: 'button', onclick: () => clock.jump(segment.timeStart) },
    clockTime(segment.timeStart),
  );
  const who = speaker === null ? [] : [el('strong', {}, speaker)];
  const row = el('li', {}, button, el('div', {}, ...who, paragraph));
  if (segment.meta.language) paragraph.lang = segment.meta.language;
  const words = [];
  let lit = null;
  const part = () => {
    const timed = segment.words;
    if (timed === undefined || words.length > 0) return;
    const nodes = [];
    let from = 0;
    for (let at = 0; at < timed.length; at += WORD_VALUES) {
      const [offset, length, start, end] = timed.slice(at, at + WORD_VALUES);
      const element = el('span', {}, text.slice(offset, offset + length));
      words.push({ element, start: start / 100, end: end / 100 });
      nodes.push(text.slice(from, offset), element);
      from = offset + length;
    }
    paragraph.replaceChildren(...nodes, text.slice(from));
  };
  paragraph.addEventListener('click', (event) => {
    const word = words.find(({ element }) => element === event.target);
    clock.jump(word?.start ?? segment.timeStart);
  });
  return {
    row,
    part,
    light(time) {
      part();
      const next = words.findLast(({ start }) => start <= time + 0.02)?.element ?? null;
      if (next === lit) return;
      lit?.classList.remove('lit');
      next?.classList.add('lit');
      lit = next;
    },
    leave() {
      row.removeAttribute('aria-current');
      lit?.classList.remove('lit');
      lit = null;
    },
  };
}

/** Scrolls the list, never the page. */
function keepInView(list, row, playing) {
  const top = row.offsetTop - list.offsetTop;
  const seen = top >= list.scrollTop && top + row.offsetHeight <= list.scrollTop + list.clientHeight;
  if (!seen || playing) list.scrollTop = top - list.clientHeight / 3;
}
