import type { AnalysisContext } from './analysis.js';

/** Discards a picture and returns its reference, for inference that stores none. */
export const droppedPicture: AnalysisContext<unknown>['keepPicture'] = (key, { width, height }, options) => {
  const scale = Math.min(1, (options?.maxSide ?? Infinity) / Math.max(width, height));
  return Promise.resolve({
    key,
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  });
};
