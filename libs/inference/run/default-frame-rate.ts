import { FRAME_SIDE, type FrameSpec } from '@adit/contracts';
import { z } from 'zod';

/** Default frames per second of a film, unless an analysis or `ADIT_FRAMES_PER_SECOND` sets another rate. */
export const FRAMES_PER_SECOND = 2;

/** Sampled frames per second of media time. */
export const FrameRate = z.number().positive().max(60);

/** Schema of the argument `rate` of film analyses. */
export function frameRate(otherwise = FRAMES_PER_SECOND) {
  return FrameRate.default(otherwise);
}

/** Tests whether an analysis with these arguments takes `rate`. */
export function takesFrameRate(args: z.ZodType): boolean {
  const rate: unknown = args instanceof z.ZodObject ? args.shape['rate'] : undefined;
  return rate instanceof z.ZodDefault && rate.def.innerType === FrameRate;
}

/**
 * Frames for object-like analyses: 600 pixels on the shorter side, as `faces` asks for too, so that one pack serves
 * all. With `side`, films are scaled to it and photos keep their size, for a network that resizes as its exporter does.
 */
export function framesFor(rate: number, side: number | undefined): FrameSpec {
  return side === undefined ? { rate, shorterSide: FRAME_SIDE } : { rate, shorterSide: side, images: 'native' };
}
