import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useObserved } from '../../shared/observed.js';
import { timelineText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import { segmentAt, type Lane } from '../model/lanes.js';
import type { Segment } from '../model/segments.js';
import { positionText } from '../model/time.js';
import { panned, showing, whole, zoomed, type Extent, type Viewport } from '../model/viewport.js';
import type { Shuttle } from '../state/shuttle.js';
import { useModuleNames } from './module-names.js';
import { draw, heightOf, rowsOf, RULER_HEIGHT, type Palette, type Picture, type Row } from './timeline-drawing.js';

/** Pixels of the names at the left, and where there is little room. */
const NAMES = 170;
const FEW_NAMES = 92;
const NARROW = 640;
const ZOOM = 1.25;
/** Pixels that a click may miss a segment by. */
const SLACK = 4;
const MAX_HEIGHT = 420;

interface TimelineProps {
  lanes: readonly Lane[];
  extent: Extent;
  shuttle: Shuttle;
  selected: Segment | null;
  select: (segment: Segment) => void;
}

export function Timeline({ lanes, extent, shuttle, selected, select }: TimelineProps) {
  useObserved(shuttle);
  const text = useMessages(timelineText);
  const nameOf = useModuleNames();
  const [view, setView] = useState<Viewport>(whole(extent));
  const [width, setWidth] = useState(0);
  const rows = useMemo(() => rowsOf(lanes, nameOf), [lanes, nameOf(lanes[0]?.module ?? '')]);
  const names = width < NARROW ? FEW_NAMES : NAMES;
  const height = Math.min(MAX_HEIGHT, RULER_HEIGHT + heightOf(rows) + 8);
  const before = useRef(extent.duration);
  useEffect(() => {
    // While a job runs its media seem to grow: who has come closer stays there.
    const wasWhole = (now: Viewport): boolean => now.start === 0 && now.end >= before.current;
    setView((now) => (wasWhole(now) || now.end > extent.duration ? whole(extent) : now));
    before.current = extent.duration;
  }, [extent.duration]);
  useEffect(() => {
    if (selected !== null) setView((now) => showing(now, selected.start, extent));
  }, [selected]);
  const laneName = ({ module, label }: Lane): string => {
    if (label !== '') return label;
    return module === 'speech_recognition' ? text.speech : text.captions;
  };
  const picture = { rows, view, fps: extent.fps, width, height, names, selected, nameOf: laneName };
  const marks = { from: shuttle.markIn, to: shuttle.markOut };
  const zoom = (factor: number, at = shuttle.time): void => setView((now) => zoomed(now, factor, at, extent));
  const onKeyDown = (event: KeyboardEvent): void => {
    const act = {
      '+': () => zoom(1 / ZOOM),
      '=': () => zoom(1 / ZOOM),
      '-': () => zoom(ZOOM),
      '0': () => setView(whole(extent)),
    };
    const found = Object.entries(act).find(([key]) => key === event.key);
    if (found === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    found[1]();
  };
  return (
    <section class="timeline" aria-label={text.timeline}>
      <TimelineHeader {...{ view, extent, zoom }} onFit={() => setView(whole(extent))} />
      <div
        class="lanes"
        tabIndex={0}
        role="group"
        aria-label={text.timeline}
        aria-description={text.describe}
        onKeyDown={onKeyDown}
        style={{ height: `${height}px` }}
      >
        <Canvas {...{ picture: { ...picture, marks }, setWidth, setView, extent, shuttle, select, lanes: rows }} />
        <Playhead {...{ shuttle, view, width, names }} />
      </div>
    </section>
  );
}

interface TimelineHeaderProps {
  view: Viewport;
  extent: Extent;
  zoom: (factor: number) => void;
  onFit: () => void;
}

function TimelineHeader({ view, extent, zoom, onFit }: TimelineHeaderProps) {
  const text = useMessages(timelineText);
  const range = text.range({ from: positionText(view.start, extent.fps), to: positionText(view.end, extent.fps) });
  return (
    <header>
      <h2>{text.timeline}</h2>
      <span class="soft range">{range}</span>
      <button type="button" aria-label={text.zoomOut} title={text.zoomOut} onClick={() => zoom(ZOOM)}>
        −
      </button>
      <button type="button" aria-label={text.zoomIn} title={text.zoomIn} onClick={() => zoom(1 / ZOOM)}>
        +
      </button>
      <button type="button" onClick={onFit}>
        {text.fit}
      </button>
    </header>
  );
}

interface CanvasProps {
  picture: Omit<Picture, 'scrollTop'>;
  setWidth: (width: number) => void;
  setView: (change: (now: Viewport) => Viewport) => void;
  extent: Extent;
  shuttle: Shuttle;
  select: (segment: Segment) => void;
  lanes: readonly Row[];
}

function Canvas({ picture, setWidth, setView, extent, shuttle, select, lanes }: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const { width, height, names, view, rows } = picture;
  const theme = useTheme();
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const sizes = new ResizeObserver(() => setWidth(element.clientWidth));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  useEffect(() => {
    const element = canvas.current;
    if (element === null || width === 0) return undefined;
    const frame = requestAnimationFrame(() => {
      const context = element.getContext('2d');
      if (context === null) return;
      const [wide, high] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
      if (element.width !== wide || element.height !== high) Object.assign(element, { width: wide, height: high });
      context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
      draw(context, { ...picture, scrollTop }, paletteOf(element));
    });
    return () => cancelAnimationFrame(frame);
  }, [width, height, view, rows, scrollTop, picture.selected, picture.marks.from, picture.marks.to, theme]);
  const timeAt = (x: number): number => view.start + ((x - names) / (width - names)) * (view.end - view.start);
  useWheel(scroller, { view, timeAt, extent, setView, perPixel: (view.end - view.start) / (width - names) });
  const onPointerDown = (event: PointerEvent): void => {
    const place = scroller.current?.getBoundingClientRect();
    if (place === undefined || event.button !== 0) return;
    const [x, y] = [event.clientX - place.left, event.clientY - place.top];
    if (x < names) return;
    const slack = (SLACK * (view.end - view.start)) / (width - names);
    const row = lanes.findLast((each) => each.y <= y - RULER_HEIGHT + scrollTop);
    const found = y > RULER_HEIGHT && row !== undefined && 'lane' in row ? segmentAt(row.lane, timeAt(x), slack) : null;
    if (found !== null) select(found);
    shuttle.seek(timeAt(x));
    const move = ({ clientX }: PointerEvent): void => shuttle.seek(timeAt(Math.max(names, clientX - place.left)));
    addEventListener('pointermove', move);
    addEventListener('pointerup', () => removeEventListener('pointermove', move), { once: true });
  };
  return (
    <div
      ref={scroller}
      class="scroll"
      onScroll={({ currentTarget }) => setScrollTop(currentTarget.scrollTop)}
      onPointerDown={onPointerDown}
    >
      <div style={{ height: `${RULER_HEIGHT + heightOf(rows)}px` }}>
        <canvas ref={canvas} aria-hidden="true" style={{ width: `${width}px`, height: `${height}px` }} />
      </div>
    </div>
  );
}

interface Wheel {
  view: Viewport;
  timeAt: (x: number) => number;
  extent: Extent;
  setView: CanvasProps['setView'];
  /** Seconds. */
  perPixel: number;
}

/** The wheel zooms at the pointer; with Shift, or sideways, it moves; over the names it scrolls the lanes. */
function useWheel(scroller: { current: HTMLElement | null }, wheel: Wheel): void {
  const latest = useRef(wheel);
  latest.current = wheel;
  useEffect(() => {
    const element = scroller.current;
    const onWheel = (event: WheelEvent): void => {
      const { timeAt, extent, setView, perPixel, view } = latest.current;
      const x = event.clientX - (element?.getBoundingClientRect().left ?? 0);
      if (timeAt(x) < view.start) return;
      event.preventDefault();
      const sideways = event.shiftKey ? event.deltaX + event.deltaY : event.deltaX;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        setView((now) => panned(now, sideways * perPixel, extent));
      } else {
        const at = timeAt(x);
        setView((now) => zoomed(now, Math.exp(event.deltaY * 0.002), at, extent));
      }
    };
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, []);
}

/** A line over the canvas: it moves at every frame of a film, and nothing is drawn for it. */
function Playhead({ shuttle, view, width, names }: { shuttle: Shuttle; view: Viewport; width: number; names: number }) {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() =>
    shuttle.eachTime((time) => {
      const x = names + ((time - view.start) / (view.end - view.start)) * (width - names);
      const element = line.current;
      if (element === null) return;
      element.hidden = !(x >= names && x <= width);
      element.style.transform = `translateX(${x}px)`;
    }),
  );
  return <div ref={line} class="playhead" aria-hidden="true" />;
}

/** Changes with the colours of the page. */
function useTheme(): string {
  const read = (): string =>
    `${document.documentElement.dataset['theme'] ?? ''} ${matchMedia('(prefers-color-scheme: dark)').matches}`;
  const [theme, setTheme] = useState(read());
  useEffect(() => {
    const update = (): void => setTheme(read());
    const changes = new MutationObserver(update);
    changes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', update);
    return () => {
      changes.disconnect();
      system.removeEventListener('change', update);
    };
  }, []);
  return theme;
}

function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ...{ ground: color('card'), ink: color('ink'), soft: color('soft'), line: color('line') },
    ...{ accent: color('accent'), marked: color('marked'), light: Number(color('bar-light')), onBar: '#14161a' },
  };
}
