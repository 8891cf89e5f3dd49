import {
  AditError,
  imageRange,
  inputKindOf,
  keysOf,
  type AudioInterval,
  type Extent,
  type FrameInterval,
  type InputKind,
  type MediaFacts,
  type PdfFacts,
  type ProcessingRange,
  type Span,
} from '@adit/contracts';
import { planAudioRange } from './audio/audio-plan.js';
import type { FrameIndex } from './video/frame-index.js';
import { planRange } from './plan.js';

/** Input of planning: a source of a job with its grids. */
export interface PlannableMedia {
  facts: MediaFacts;
  /** Null for media without frames. */
  film: { grid: FrameInterval[]; index: FrameIndex } | null;
  /** Null for media without sound, or when no analysis reads sound. */
  audioGrid: AudioInterval[] | null;
  sourceIndex: number;
  /** Number of sources of the job, and of images per chunk. */
  sources: number;
  imagesPerChunk: number;
}

/**
 * Returns the chunks of a range for one kind of media; empty where the source has none of that kind. Throws
 * MEDIA_INVALID for a range outside.
 */
type MediaPlan = (media: PlannableMedia, range: ProcessingRange | null) => Span[];

/**
 * Planning rule of each kind: films are cut at keyframes, sound near each 24 s, and each page of a document is a chunk.
 */
const MEDIA_PLANS: Record<Extent['kind'], MediaPlan> = {
  // Images are counted over all sources of the job; the first opened one stands for all.
  image: ({ facts, sourceIndex, sources, imagesPerChunk }, range) => {
    if (facts.kind === 'pdf') return pagesOf(facts, range).map((page) => within(sourceIndex, { kind: 'image', page }));
    if (facts.kind !== 'image') return [];
    const wanted = imageRange(range, sources);
    if (wanted === null) {
      throw new AditError('MEDIA_INVALID', 'its range does not lie within the images of the job');
    }
    const spans: Span[] = [];
    const first = wanted.from - (wanted.from % imagesPerChunk);
    for (let sourceStart = first; sourceStart <= wanted.to; sourceStart += imagesPerChunk) {
      const sourceEnd = Math.min(sources, sourceStart + imagesPerChunk);
      spans.push({ sourceStart, sourceEnd, extent: { kind: 'image' } });
    }
    return spans;
  },
  video: ({ facts, film, sourceIndex }, range) => {
    if (film === null || facts.kind !== 'video') return [];
    const intervals = range === null ? film.grid : planRange(film.grid, film.index, range);
    return intervals.map((interval) => within(sourceIndex, { kind: 'video', interval }));
  },
  audio: ({ film, audioGrid, sourceIndex }, range) => {
    if (audioGrid === null || audioGrid.length === 0) return [];
    const intervals = range === null ? audioGrid : planAudioRange(audioGrid, film?.index ?? null, range);
    return intervals.map((interval) => within(sourceIndex, { kind: 'audio', interval }));
  },
};

/**
 * Returns the chunks of a source for pictures or sound within a range; for an image those of all images of its job.
 * Empty where the source has none of that kind. Throws MEDIA_INVALID for a range outside.
 */
export function planMedia(media: PlannableMedia, input: InputKind, range: ProcessingRange | null): Span[] {
  const kinds = keysOf(MEDIA_PLANS).filter((kind) => inputKindOf(kind) === input);
  return kinds.flatMap((kind) => MEDIA_PLANS[kind](media, range));
}

function pagesOf({ pages }: PdfFacts, range: ProcessingRange | null): number[] {
  const wanted = imageRange(range, pages);
  if (wanted === null) throw new AditError('MEDIA_INVALID', 'its range does not lie within the pages of the document');
  return Array.from({ length: wanted.to - wanted.from + 1 }, (_, at) => wanted.from + at);
}

function within(sourceIndex: number, extent: Extent): Span {
  return { sourceStart: sourceIndex, sourceEnd: sourceIndex + 1, extent };
}
