import { memo } from 'preact/compat';
import { useEffect, useRef } from 'preact/hooks';
import type { Paragraphs } from '../model/paragraph.js';

interface StripProps {
  paragraphs: Paragraphs;
  hues: ReadonlyMap<string, number>;
  /** Seconds. */
  length: number;
}

const WIDTH = 1200;

/** Timeline of the speakers. It is drawn once for each change, however many paragraphs there are. */
export const VoiceStrip = memo(function VoiceStrip({ paragraphs, hues, length }: StripProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const pen = canvas.current?.getContext('2d');
    if (pen === null || pen === undefined) return;
    pen.clearRect(0, 0, WIDTH, 1);
    if (length <= 0) return;
    for (const { speaker, time_start: start, time_end: end } of paragraphs) {
      const hue = speaker === null ? undefined : hues.get(speaker);
      pen.fillStyle = hue === undefined ? '#8884' : `oklch(0.66 0.13 ${hue})`;
      pen.fillRect((start / length) * WIDTH, 0, Math.max(1, ((end - start) / length) * WIDTH), 1);
    }
  }, [paragraphs, hues, length]);
  return <canvas ref={canvas} width={WIDTH} height={1} aria-hidden="true" />;
});
