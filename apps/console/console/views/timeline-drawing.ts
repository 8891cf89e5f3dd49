import { firstReaching, type Lane } from '../model/lanes.js';
import { titleOf, type Segment } from '../model/segments.js';
import { positionText } from '../model/time.js';
import { tickSeconds, type Viewport } from '../model/viewport.js';

export const RULER_HEIGHT = 26;
export const HEADING_HEIGHT = 24;
export const LANE_HEIGHT = 24;
const BAR_INSET = 3;
/** Narrower bars show no text. */
const LEAST_TEXT_WIDTH = 28;
const CHARACTER_WIDTH = 6.3;
const TICK_APART = 96;

/** A row of the timeline: the heading of a module, or a lane. */
export type Row = { y: number; heading: string } | { y: number; lane: Lane };

export interface Palette {
  ground: string;
  ink: string;
  soft: string;
  line: string;
  accent: string;
  marked: string;
  /** Lightness in percent of bars, whose text is `onBar`. */
  light: number;
  onBar: string;
}

export interface Picture {
  rows: readonly Row[];
  view: Viewport;
  fps: number | null;
  /** Pixels. */
  width: number;
  height: number;
  names: number;
  scrollTop: number;
  selected: Segment | null;
  marks: { from: number | null; to: number | null };
  nameOf: (lane: Lane) => string;
}

export function rowsOf(lanes: readonly Lane[], headingOf: (module: string) => string): Row[] {
  const rows: Row[] = [];
  let y = 0;
  let module: string | null = null;
  for (const lane of lanes) {
    if (lane.module !== module) {
      module = lane.module;
      rows.push({ y, heading: headingOf(module) });
      y += HEADING_HEIGHT;
    }
    rows.push({ y, lane });
    y += LANE_HEIGHT;
  }
  return rows;
}

/** Pixels of all rows together. */
export function heightOf(rows: readonly Row[]): number {
  const last = rows.at(-1);
  return last === undefined ? 0 : last.y + LANE_HEIGHT;
}

/** The hue in degrees that a label has everywhere. */
export function hueOf(text: string): number {
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) | 0;
  return ((hash % 360) + 360) % 360;
}

/** Draws what is in sight, and nothing else: a frame costs what the pixels cost, however many segments there are. */
export function draw(context: CanvasRenderingContext2D, picture: Picture, palette: Palette): void {
  const { width, height, names, rows, scrollTop } = picture;
  context.clearRect(0, 0, width, height);
  context.font = '12px system-ui, sans-serif';
  context.textBaseline = 'middle';
  drawMarks(context, picture, palette);
  drawRuler(context, picture, palette);
  context.save();
  context.beginPath();
  context.rect(0, RULER_HEIGHT, width, height - RULER_HEIGHT);
  context.clip();
  for (const row of rows) {
    const y = RULER_HEIGHT + row.y - scrollTop;
    if (y + LANE_HEIGHT < RULER_HEIGHT) continue;
    if (y > height) break;
    if ('heading' in row) drawHeading(context, row.heading, y, palette);
    else drawLane(context, { lane: row.lane, y, name: picture.nameOf(row.lane) }, picture, palette);
  }
  context.restore();
  context.fillStyle = palette.line;
  context.fillRect(names - 1, 0, 1, height);
  context.fillRect(0, RULER_HEIGHT - 1, width, 1);
}

function drawHeading(context: CanvasRenderingContext2D, heading: string, y: number, palette: Palette): void {
  context.font = '600 12px system-ui, sans-serif';
  context.fillStyle = palette.soft;
  context.fillText(heading, 10, y + HEADING_HEIGHT / 2 + 2);
  context.font = '12px system-ui, sans-serif';
}

function drawLane(
  context: CanvasRenderingContext2D,
  { lane, y, name }: { lane: Lane; y: number; name: string },
  { view, width, names, selected }: Picture,
  palette: Palette,
): void {
  context.fillStyle = palette.ink;
  context.fillText(shortened(name, names - 20), 10, y + LANE_HEIGHT / 2);
  context.save();
  context.beginPath();
  context.rect(names, y, width - names, LANE_HEIGHT);
  context.clip();
  const scale = (width - names) / (view.end - view.start);
  const height = LANE_HEIGHT - 2 * BAR_INSET;
  const color = `hsl(${hueOf(lane.label === '' ? lane.module : lane.label)} 48% ${palette.light}%)`;
  context.fillStyle = color;
  // Right edge of what is drawn already: what would lie on the same pixel is left out.
  let drawn = -Infinity;
  for (let at = firstReaching(lane, view.start); at < lane.segments.length; at += 1) {
    const segment = lane.segments[at];
    if (segment === undefined || segment.start > view.end) break;
    const x = names + (segment.start - view.start) * scale;
    const right = Math.max(x + 2, names + (segment.end - view.start) * scale);
    if (right <= drawn) continue;
    context.fillRect(x, y + BAR_INSET, right - x - (right - x > 4 ? 1 : 0), height);
    drawn = Math.max(drawn, Math.floor(right));
    if (right - x > LEAST_TEXT_WIDTH) {
      const from = Math.max(x, names);
      context.fillStyle = palette.onBar;
      context.fillText(shortened(segment.text ?? titleOf(segment), right - from - 10), from + 5, y + LANE_HEIGHT / 2);
      context.fillStyle = color;
    }
  }
  if (selected !== null && selected.module === lane.module && selected.label === lane.label) {
    const x = names + (selected.start - view.start) * scale;
    context.strokeStyle = palette.ink;
    context.lineWidth = 2;
    context.strokeRect(x, y + BAR_INSET - 1, Math.max(3, (selected.end - selected.start) * scale), height + 2);
  }
  context.restore();
}

function drawRuler(
  context: CanvasRenderingContext2D,
  { view, fps, width, height, names }: Picture,
  palette: Palette,
): void {
  const perPixel = (view.end - view.start) / (width - names);
  const step = tickSeconds(perPixel, TICK_APART, fps);
  for (let tick = Math.ceil(view.start / step - 1e-6); tick * step <= view.end; tick += 1) {
    const x = Math.round(names + (tick * step - view.start) / perPixel);
    context.fillStyle = palette.line;
    context.fillRect(x, 0, 1, height);
    context.fillStyle = palette.soft;
    context.fillText(positionText(tick * step, fps), x + 4, RULER_HEIGHT / 2);
  }
}

function drawMarks(
  context: CanvasRenderingContext2D,
  { view, width, height, names, marks }: Picture,
  palette: Palette,
): void {
  const { from, to } = marks;
  if (from === null && to === null) return;
  const scale = (width - names) / (view.end - view.start);
  const left = Math.max(names, names + ((from ?? view.start) - view.start) * scale);
  const right = Math.min(width, names + ((to ?? view.end) - view.start) * scale);
  if (right <= left) return;
  context.fillStyle = palette.marked;
  context.fillRect(left, 0, right - left, height);
}

/** A guess at what fits: measuring each text would cost more than drawing it. */
function shortened(text: string, pixels: number): string {
  const fits = Math.max(0, Math.floor(pixels / CHARACTER_WIDTH));
  return text.length <= fits ? text : fits < 3 ? '' : `${text.slice(0, fits - 1)}…`;
}
