import { afterAll, beforeAll } from '@jest/globals';
import { sampleMedia } from '@adit/testing';
import faces from '../analysis.js';
import { decodeEmbedding } from '../embedding.js';
import type { FaceObservations, FaceTrack } from '../observations.js';
import { AnalysisHarness } from '../../testing/analysis-harness.js';

export const media = sampleMedia();

export let harness: AnalysisHarness<FaceObservations>;

/** Several tests use the same photos, which are analysed once. */
const analysed = new Map<string, Promise<FaceObservations>>();

export function photo(path: string): Promise<FaceObservations> {
  const seen = analysed.get(path) ?? harness.at(path).then(([observations]) => observations!);
  analysed.set(path, seen);
  return seen;
}

export const embeddingOf = (track: FaceTrack): Float32Array => decodeEmbedding(track.views[0]!.embedding);

export const single = async (path: string): Promise<Float32Array> => embeddingOf((await photo(path)).tracks[0]!);

/** Registers the hooks that start and end the shared parts of a spec. */
export function useFaceAnalysis(): void {
  beforeAll(async () => {
    harness = await AnalysisHarness.open(faces);
  });
  afterAll(async () => {
    await harness.close();
  });
}
