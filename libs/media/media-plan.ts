import type { AudioInterval, Extent, FrameInterval, MediaFacts, ProcessingRange } from '@adit/contracts';
import { planAudioRange } from './audio-plan.js';
import type { FrameIndex } from './frame-index.js';
import { planRange } from './plan.js';

/** What plans are made of: a source with the grids that it is cut into. */
export interface PlannableMedia {
  facts: MediaFacts;
  /** Null of what has no frames. */
  film: { grid: FrameInterval[]; index: FrameIndex } | null;
  /** Null of what has no sound, or where nobody listens. */
  audioGrid: AudioInterval[] | null;
}

/** Which units a source has, of one kind, within a range; none where it has nothing of that kind. Throws MEDIA_INVALID for a range outside. */
export type MediaPlan = (media: PlannableMedia, range: ProcessingRange | null) => Extent[];

/** How each kind is planned. Pictures are gathered into chunks by their count over all sources of a job. */
export const MEDIA_PLANS: Record<Extent['kind'], MediaPlan> = {
  image: ({ facts }) => (facts.kind === 'image' ? [{ kind: 'image' }] : []),
  video: ({ facts, film }, range) => {
    if (film === null || facts.kind !== 'video') return [];
    const intervals = range === null ? film.grid : planRange(film.grid, facts, film.index, range);
    return intervals.map((interval) => ({ kind: 'video', interval }));
  },
  audio: ({ facts, film, audioGrid }, range) => {
    if (audioGrid === null || audioGrid.length === 0) return [];
    const frames = film !== null && facts.kind === 'video' ? { facts, index: film.index } : null;
    const intervals = range === null ? audioGrid : planAudioRange(audioGrid, frames, range);
    return intervals.map((interval) => ({ kind: 'audio', interval }));
  },
};
