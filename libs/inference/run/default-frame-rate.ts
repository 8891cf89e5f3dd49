import { FRAME_SIDE, type FrameSpec } from '@adit/contracts';
import { z } from 'zod';

/** Frames of each second of a film that are looked at, where neither an analysis nor `ADIT_FRAMES_PER_SECOND` says otherwise. */
export const FRAMES_PER_SECOND = 2;

/** Sampled frames per second of media time. */
export const FrameRate = z.number().positive().max(60);

/** The argument `rate` of an analysis of films. */
export function frameRate(otherwise = FRAMES_PER_SECOND) {
  return FrameRate.default(otherwise);
}

/** Whether an analysis with these arguments takes that one. */
export function takesFrameRate(args: z.ZodType): boolean {
  const rate: unknown = args instanceof z.ZodObject ? args.shape['rate'] : undefined;
  return rate instanceof z.ZodDefault && rate.def.innerType === FrameRate;
}

/**
 * Frames that show things: of 600 pixels on the shorter side, as `faces` asks for too, so that one pack serves all. With `side`
 * a film's are of that, and photos are as they are: for a network that resizes as its exporter does.
 */
export function framesFor(rate: number, side: number | undefined): FrameSpec {
  return side === undefined ? { rate, shorterSide: FRAME_SIDE } : { rate, shorterSide: side, images: 'native' };
}
