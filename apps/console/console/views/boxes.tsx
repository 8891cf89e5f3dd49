import { useEffect, useRef } from 'preact/hooks';
import { boxAt, titleOf, type Segment } from '../model/segments.js';
import type { Shuttle } from '../state/shuttle.js';
import { hueOf } from './timeline-drawing.js';

interface BoxesProps {
  segments: readonly Segment[];
  shuttle: Shuttle;
  /** The frame that is seen now. */
  frame: () => number;
  selected: Segment | null;
}

/** What was found, drawn over the picture. The list of appearances says the same in words. */
export function Boxes({ segments, shuttle, frame, selected }: BoxesProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return undefined;
    const boxed = segments.filter(({ boxes }) => boxes.length > 0);
    const show = (): void => draw(context, element, { boxed, frame: frame(), selected });
    const sizes = new ResizeObserver(() => {
      element.width = element.clientWidth * devicePixelRatio;
      element.height = element.clientHeight * devicePixelRatio;
      show();
    });
    sizes.observe(element);
    const ends = shuttle.eachTime(show);
    return () => {
      ends();
      sizes.disconnect();
    };
  }, [segments, shuttle, selected]);
  return <canvas ref={canvas} class="boxes" aria-hidden="true" />;
}

function draw(
  context: CanvasRenderingContext2D,
  { width, height }: HTMLCanvasElement,
  { boxed, frame, selected }: { boxed: readonly Segment[]; frame: number; selected: Segment | null },
): void {
  const scale = devicePixelRatio;
  context.clearRect(0, 0, width, height);
  context.font = `600 ${12 * scale}px system-ui, sans-serif`;
  context.textBaseline = 'middle';
  for (const segment of boxed) {
    const box = boxAt(segment, frame);
    if (box === null) continue;
    const color = `hsl(${hueOf(segment.label === '' ? segment.module : segment.label)} 70% 68%)`;
    const [x, y] = [box.x * width, box.y * height];
    context.strokeStyle = color;
    context.lineWidth = (segment === selected ? 4 : 2) * scale;
    context.strokeRect(x, y, box.w * width, box.h * height);
    const title = titleOf(segment).slice(0, 40);
    const wide = context.measureText(title).width + 10 * scale;
    const top = Math.max(0, y - 18 * scale);
    context.fillStyle = color;
    context.fillRect(x - scale, top, wide, 18 * scale);
    context.fillStyle = '#111';
    context.fillText(title, x + 4 * scale, top + 9 * scale);
  }
}
