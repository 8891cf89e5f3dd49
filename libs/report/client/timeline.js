// One timeline per film: a lane for each person and kind, a ruler that follows zoom and scroll.
import { startHover } from './hover.js';
import { grouped, laneName, lanesOf, makeBar, makeWords, moreLanes } from './lanes.js';
import { data, el, kindName, onGoTo, onSelect, tint } from './page.js';
import { tickStep, timecodeAt } from './time.js';

const TICK_ROOM = 110;
const MAX_PIXELS_PER_SECOND = 160;
/** Lanes of a kind shown at first: people are what a film is looked through for. */
const FIRST_LANES = 6;
const FIRST_PEOPLE = 24;

/** Builds the timeline of one source into `host`. */
export function startTimeline(host, sourceIndex, clock) {
  const source = data.sources[sourceIndex];
  const lanes = lanesOf(sourceIndex);
  if (lanes.length === 0) {
    host.append(el('p', { className: 'empty' }, 'Nothing was found in this film.'));
    return;
  }
  const end = Math.max(
    source.duration ?? 0,
    ...lanes.flatMap((lane) => lane.bars.map((index) => data.segments[index].timeEnd)),
    1,
  );
  /** Bars of the lanes that are built, by segment. */
  const bars = new Map();
  /** Functions that build the lanes that are folded away, by segment: a crowd's are most of the page. */
  const unbuilt = new Map();
  const barOf = (index) => {
    unbuilt.get(index)?.();
    return bars.get(index);
  };
  const folded = (type, lanes) => {
    const indices = lanes.flatMap((lane) => lane.bars);
    const build = () => {
      for (const index of indices) unbuilt.delete(index);
      more.replaceWith(...lanes.map((lane) => laneRow(lane, end, bars)));
      markAgain();
    };
    const more = moreLanes(type, lanes.length, build);
    for (const index of indices) unbuilt.set(index, build);
    return more;
  };
  const ruler = el('div', { className: 'ruler' });
  const cursor = el('div', { className: 'cursor', hidden: true }, el('span', {}));
  const scroller = el(
    'div',
    { className: 'tracks' },
    el('div', { className: 'lane head' }, el('div', { className: 'lane-name' }), ruler),
    cursor,
  );
  const several = new Set(lanes.map((lane) => lane.type)).size > 1;
  const rows = [];
  for (const [type, all] of grouped(lanes)) {
    if (several && !all[0].inWords) {
      scroller.append(el('div', { className: 'lane kind' }, el('div', { className: 'lane-name' }, kindName(type))));
    }
    // One more than fits is shown rather than a button that says so.
    const first = type === 'face' ? FIRST_PEOPLE : FIRST_LANES;
    const most = all.length <= first + 1 ? all.length : first;
    rows.push(...all.map((lane) => lane.bars));
    scroller.append(...all.slice(0, most).map((lane) => laneRow(lane, end, bars)));
    if (most < all.length) scroller.append(folded(type, all.slice(most)));
  }
  const zoom = makeZoom(scroller, ruler, source, end);
  host.append(zoom.tools, scroller);
  followPointer(scroller, ruler, cursor, source, end);
  followClock(scroller, ruler, clock, end);
  const markAgain = markLanes(bars, clock);
  startHover(scroller);
  moveByKeys(scroller, rows, barOf, zoom);
  bars.values().next().value.tabIndex = 0;
  onSelect((index, origin) => {
    for (const bar of host.querySelectorAll('.seg[aria-current]')) bar.removeAttribute('aria-current');
    const bar = barOf(index);
    if (bar === undefined) return;
    host.querySelector('.seg[tabindex="0"]')?.setAttribute('tabindex', '-1');
    bar.tabIndex = 0;
    bar.setAttribute('aria-current', 'true');
    if (origin !== 'timeline') zoom.reveal(bar);
  });
  onGoTo((index) => {
    if (barOf(index) !== undefined) clock.jump(data.segments[index].timeStart);
  });
}

/** A lane with its bars, which are added to `bars`. */
function laneRow(lane, end, bars) {
  const track = el('div', { className: 'track' });
  for (const [at, index] of lane.bars.entries()) {
    track.append(lane.inWords ? makeWords(lane.bars, at, end, bars) : makeBar(index, end, bars));
  }
  return tint(el('div', { className: lane.inWords ? 'lane words' : 'lane' }, laneName(lane), track), lane.label);
}

function makeZoom(scroller, ruler, source, end) {
  let factor = 1;
  const nameWidth = () => scroller.querySelector('.lane-name').offsetWidth;
  const base = () => Math.max(50, scroller.clientWidth - nameWidth());
  const most = () => Math.max(1, (end * MAX_PIXELS_PER_SECOND) / base());
  const width = () => base() * factor;

  const drawTicks = () => {
    const pixelsPerSecond = width() / end;
    const step = tickStep(pixelsPerSecond, TICK_ROOM);
    const first = Math.max(0, Math.floor(scroller.scrollLeft / pixelsPerSecond / step));
    const last = Math.min(Math.floor(end / step), Math.ceil((scroller.scrollLeft + base()) / pixelsPerSecond / step));
    const ticks = [];
    for (let at = first; at <= last; at += 1) {
      // Drop-frame counting lags up to two frames behind the clock, which would read as the second before.
      const timecode = timecodeAt(at * step + (step < 1 ? 0 : 2 / (source.fps || 25)), source);
      const tick = el('span', {}, step < 1 ? timecode : timecode.slice(0, 8));
      tick.style.left = `${((at * step) / end) * 100}%`;
      ticks.push(tick);
    }
    ruler.replaceChildren(...ticks);
  };
  const apply = (next, anchor = base() / 2) => {
    const time = (scroller.scrollLeft + anchor) / width();
    factor = Math.min(most(), Math.max(1, next));
    scroller.style.setProperty('--track', factor === 1 ? 'auto' : `${width()}px`);
    scroller.scrollLeft = time * width() - anchor;
    out.disabled = fit.disabled = factor === 1;
    into.disabled = factor >= most();
    drawTicks();
  };
  const button = (text, label, next) =>
    el('button', { type: 'button', 'aria-label': label, title: label, onclick: () => apply(next()) }, text);
  const out = button('−', 'Zoom out', () => factor / 2);
  const into = button('+', 'Zoom in', () => factor * 2);
  const fit = button('Fit', 'Fit the whole film', () => 1);

  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      drawTicks();
    });
  };
  scroller.addEventListener('scroll', later, { passive: true });
  new ResizeObserver(() => apply(factor)).observe(scroller);
  scroller.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const anchor = event.clientX - scroller.getBoundingClientRect().left - nameWidth();
      apply(factor * Math.exp(-event.deltaY / 240), anchor);
    },
    { passive: false },
  );
  return {
    tools: el('div', { className: 'tools', role: 'group', 'aria-label': 'Zoom' }, out, into, fit),
    by: (times) => apply(factor * times),
    fit: () => apply(1),
    /** Brings a bar into view without moving the page. */
    reveal(bar) {
      const left = bar.offsetLeft;
      if (left < scroller.scrollLeft || left > scroller.scrollLeft + base()) scroller.scrollLeft = left - base() / 3;
      const lane = bar.closest('.lane');
      const top = lane.offsetTop - scroller.scrollTop;
      if (top < 40 || top > scroller.clientHeight - 40) scroller.scrollTop = lane.offsetTop - scroller.clientHeight / 2;
    },
  };
}

function followPointer(scroller, ruler, cursor, source, end) {
  scroller.addEventListener('pointermove', (event) => {
    const { left, width } = ruler.getBoundingClientRect();
    const share = (event.clientX - left) / width;
    const hidden = event.clientX - scroller.getBoundingClientRect().left < ruler.offsetLeft;
    cursor.hidden = hidden || share < 0 || share > 1;
    cursor.style.left = `${ruler.offsetLeft + share * width}px`;
    cursor.style.height = `${scroller.scrollHeight}px`;
    cursor.firstChild.textContent = timecodeAt(share * end, source);
  });
  scroller.addEventListener('pointerleave', () => {
    cursor.hidden = true;
  });
}

/** A line where the film is, and jumps to where one clicks. */
function followClock(scroller, ruler, clock, end) {
  const playhead = el('div', { className: 'playhead', hidden: true, 'aria-hidden': 'true' });
  scroller.append(playhead);
  const place = (playing) => {
    const left = ruler.offsetLeft + (clock.time() / end) * ruler.offsetWidth;
    playhead.style.left = `${left}px`;
    playhead.style.height = `${scroller.scrollHeight}px`;
    const from = scroller.scrollLeft + ruler.offsetLeft;
    const inView = left >= from && left <= scroller.scrollLeft + scroller.clientWidth;
    if (playing && !inView) scroller.scrollLeft = left - ruler.offsetLeft - 40;
  };
  clock.listen((time, playing) => {
    playhead.hidden = false;
    place(playing);
  });
  new ResizeObserver(() => place(false)).observe(ruler);
  scroller.addEventListener('click', (event) => {
    // Keys click too, at no place.
    if (event.detail === 0 || event.target.closest('.track, .ruler') === null) return;
    const { left, width } = ruler.getBoundingClientRect();
    let time = Math.min(end, Math.max(0, ((event.clientX - left) / width) * end));
    const bar = event.target.closest('.seg');
    if (bar !== null) {
      const { timeStart, timeEnd } = data.segments[Number(bar.dataset.segment)];
      time = Math.min(timeEnd, Math.max(timeStart, time));
    }
    clock.jump(time);
  });
}

/** Whoever is on screen now stands out among the lanes. Returns what marks those that were built meanwhile. */
function markLanes(bars, clock) {
  let marked = new Set();
  let shown = null;
  const mark = () => {
    if (shown === null) return;
    const now = new Set();
    for (const [index, bar] of bars) {
      const { timeStart, timeEnd } = data.segments[index];
      if (timeStart <= shown + 0.02 && shown <= timeEnd + 0.02) now.add(bar.closest('.lane'));
    }
    for (const lane of marked) if (!now.has(lane)) lane.classList.remove('on');
    for (const lane of now) lane.classList.add('on');
    marked = now;
  };
  clock.listen((time) => {
    shown = time;
    mark();
  });
  return mark;
}

/** Left and right within a lane, up and down between lanes (to the nearest in time), + − 0 for the zoom. */
function moveByKeys(scroller, rows, barOf, zoom) {
  scroller.addEventListener('keydown', (event) => {
    const bar = document.activeElement.closest('.seg');
    const index = bar === null ? undefined : Number(bar.dataset.segment);
    const actions = { '+': () => zoom.by(2), '=': () => zoom.by(2), '-': () => zoom.by(0.5), 0: () => zoom.fit() };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (actions[event.key]) {
      actions[event.key]();
      if (index !== undefined) zoom.reveal(document.activeElement);
      event.preventDefault();
      return;
    }
    if (index === undefined) return;
    const row = rows.findIndex((lane) => lane.includes(index));
    const at = rows[row].indexOf(index);
    const middle = (one) => (data.segments[one].timeStart + data.segments[one].timeEnd) / 2;
    const nearest = (lane) =>
      lane?.reduce((a, b) => (Math.abs(middle(b) - middle(index)) < Math.abs(middle(a) - middle(index)) ? b : a));
    const target = {
      ArrowLeft: () => rows[row][at - 1],
      ArrowRight: () => rows[row][at + 1],
      ArrowUp: () => nearest(rows[row - 1]),
      ArrowDown: () => nearest(rows[row + 1]),
      Home: () => rows[row][0],
      End: () => rows[row].at(-1),
    }[event.key]?.();
    if (target === undefined) return;
    event.preventDefault();
    const next = barOf(target);
    next.focus({ preventScroll: true });
    zoom.reveal(next);
  });
}
