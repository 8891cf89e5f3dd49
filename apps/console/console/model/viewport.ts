/** The part of the time that the timeline shows, in seconds. */
export interface Viewport {
  start: number;
  end: number;
}

export interface Extent {
  /** Seconds. */
  duration: number;
  /** Null of sound alone. */
  fps: number | null;
}

/** At the closest so many frames are shown, or tenths of a second of sound. */
const LEAST_FRAMES = 12;

function shortest({ duration, fps }: Extent): number {
  return Math.min(duration, LEAST_FRAMES / (fps ?? 10));
}

export function whole({ duration }: Extent): Viewport {
  return { start: 0, end: duration };
}

/** The same span within the media. */
function clamped(start: number, span: number, { duration }: Extent): Viewport {
  const from = Math.min(Math.max(0, start), Math.max(0, duration - span));
  return { start: from, end: from + span };
}

/** Zooms so that the time `at` stays where it is; `factor` below 1 comes closer. */
export function zoomed({ start, end }: Viewport, factor: number, at: number, extent: Extent): Viewport {
  const span = Math.min(Math.max((end - start) * factor, shortest(extent)), extent.duration);
  const part = end > start ? (at - start) / (end - start) : 0;
  return clamped(at - part * span, span, extent);
}

export function panned({ start, end }: Viewport, seconds: number, extent: Extent): Viewport {
  return clamped(start + seconds, end - start, extent);
}

/** Moves so that a time is in sight; where it is already, nothing moves. */
export function showing(view: Viewport, time: number, extent: Extent): Viewport {
  if (time >= view.start && time <= view.end) return view;
  const span = view.end - view.start;
  return clamped(time - span * 0.1, span, extent);
}

const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400];

/** Seconds between two marks of the ruler that are at least `apart` pixels from each other; whole frames below a second. */
export function tickSeconds(secondsPerPixel: number, apart: number, fps: number | null): number {
  const least = secondsPerPixel * apart;
  if (fps !== null && least < 1) {
    const frames = [1, 2, 5, 10].find((each) => each / fps >= least);
    if (frames !== undefined) return frames / fps;
  }
  return STEPS.find((step) => step >= Math.max(least, fps === null ? 0 : 1)) ?? 86_400;
}
