import {
  AditError,
  frameSpecName,
  inputOf,
  type FrameSpec,
  type ImageFacts,
  type ModelPin,
  type Unit,
} from '@adit/contracts';
import { decodeImage, openFramePackBuffer, probeMedia, sniffMedia } from '@adit/media';
import type { AnalysisDefinition } from './analysis.js';
import { droppedPicture } from './dropped-picture.js';
import type { AnalysisRunner } from './local-runner.js';

interface PictureInference {
  runner: AnalysisRunner;
  /** At least one; they share one decoding. */
  analyses: { definition: AnalysisDefinition; args: unknown; models: ModelPin[] }[];
  /** A private file. */
  path: string;
  /** SHA-256 of its content. */
  digest: string;
  maxPixels: number;
  signal: AbortSignal;
}

interface PictureSeen {
  facts: ImageFacts;
  unit: Unit<'image'>;
  /** In the order of the analyses. */
  observations: unknown[];
}

/**
 * Runs analyses over one picture as a job does, within this process. Pictures to keep are discarded. Throws
 * MEDIA_INVALID for a file that is no picture, or cannot be analysed.
 */
export async function inferPicture(request: PictureInference): Promise<PictureSeen> {
  const { runner, path, maxPixels, signal } = request;
  const facts = await factsOf(path, maxPixels);
  const asked = request.analyses.map(({ definition, args, models }) => {
    const wanted = inputOf(runner.identify(definition, args, models));
    if (wanted.kind !== 'frames') {
      throw new AditError('MEDIA_INVALID', `A picture has no sound for ${definition.name}.`);
    }
    return { analysis: definition, args, models, specs: wanted.specs };
  });
  const specs = new Map(
    asked.flatMap((each) => each.specs.map((spec): [string, FrameSpec] => [frameSpecName(spec), spec])),
  );
  signal.throwIfAborted();
  const decoded = await decodeImage({ path, facts, specs: [...specs.values()], limits: { maxPixels } });
  const unit: Unit<'image'> = { kind: 'image', sourceIndex: 0, mediaDigest: request.digest, facts };
  const observations = await Promise.all(
    asked.map(async ({ analysis, args, models, specs: own }) => {
      const packs = own.map((spec) => {
        const pack = decoded.get(frameSpecName(spec));
        if (pack === undefined) throw new AditError('PACK_MISSING', `The decoder gave no pack ${frameSpecName(spec)}.`);
        return openFramePackBuffer(pack);
      });
      const input = { kind: 'frames' as const, unit, packs: await Promise.all(packs) };
      return runner.run({ analysis, args, models, input, keepPicture: droppedPicture, signal });
    }),
  );
  return { facts, unit, observations };
}

async function factsOf(path: string, maxImagePixels: number): Promise<ImageFacts> {
  const { kind } = await sniffMedia(path);
  if (kind === 'video' || kind === 'audio') {
    throw new AditError('MEDIA_INVALID', 'It is no picture: post a job to have films and recordings mined.');
  }
  const { facts } = await probeMedia(path, { maxImagePixels });
  if (facts.kind !== 'image') throw new AditError('MEDIA_INVALID', 'It is no picture.');
  return facts;
}
