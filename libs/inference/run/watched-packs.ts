import type { InputKind } from '@adit/contracts';
import type { AnalysisInput, AudioPack, FramePack } from './analysis.js';

/** Receives the finished part of a unit, 0..1; it only grows. */
export type OnProgress = (done: number) => void;

/**
 * Wraps an input so that its packs report reading progress. An analysis reads pictures or sound in order, so everything
 * before its furthest request is done. Always less than 1, since the analysis continues after the last read.
 */
export function watchedInput(input: AnalysisInput<InputKind>, onProgress: OnProgress): AnalysisInput<InputKind> {
  switch (input.kind) {
    case 'frames':
      return { ...input, packs: watchedPacks(input.packs, onProgress) };
    case 'audio':
      return { ...input, packs: watchedAudio(input.packs, onProgress) };
  }
}

/** Wraps identical packs identically. */
export function watchedPacks(packs: FramePack[], onProgress: OnProgress): FramePack[] {
  const reached = furthest(onProgress);
  return watchedOnce(packs, (pack) => {
    const { frames, decoder } = pack;
    return {
      frames,
      decoder,
      withPicture: (index, use) => {
        reached(index / frames.length);
        return pack.withPicture(index, use);
      },
      picture: (index) => {
        reached(index / frames.length);
        return pack.picture(index);
      },
      region: (index, box) => {
        reached(index / frames.length);
        return pack.region(index, box);
      },
    };
  });
}

function watchedAudio(packs: AudioPack[], onProgress: OnProgress): AudioPack[] {
  const reached = furthest(onProgress);
  return watchedOnce(packs, (pack) => ({
    ...pack,
    samples: (from, to) => {
      reached((from - pack.ownStart) / (pack.ownEnd - pack.ownStart));
      return pack.samples(from, to);
    },
  }));
}

function furthest(onProgress: OnProgress): OnProgress {
  let before = 0;
  return (done) => {
    if (!(done > before && done < 1)) return;
    before = done;
    onProgress(done);
  };
}

function watchedOnce<Pack>(packs: Pack[], watch: (pack: Pack) => Pack): Pack[] {
  const watched = new Map([...new Set(packs)].map((pack) => [pack, watch(pack)]));
  return packs.map((pack) => watched.get(pack) ?? pack);
}
