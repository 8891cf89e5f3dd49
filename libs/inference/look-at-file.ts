import { randomUUID } from 'node:crypto';
import { AditError, frameSpecName, type Extent, type MediaFacts } from '@adit/contracts';
import { decodeImage, decodeInterval, openFramePackBuffer, planGrid, probeMedia } from '@adit/media';
import type { AnalysisContext, AnalysisDefinition } from './analysis.js';
import type { AnalysisRunner } from './local-runner.js';

interface FileLook {
  runner: AnalysisRunner;
  analysis: AnalysisDefinition;
  /** A file of the operator's own: no limits beyond the decoder's defaults guard it. */
  path: string;
  args?: unknown;
  /** Pictures are dropped when left out. */
  keepPicture?: AnalysisContext<unknown>['keepPicture'];
  signal?: AbortSignal;
}

/** What an analysis saw in one unit of a file: a whole image, or a chunk of a film. */
interface UnitLook {
  facts: MediaFacts;
  extent: Extent;
  /** As the analysis's schema has it. */
  observations: unknown;
}

/**
 * Runs an analysis over a local file, unit after unit, with nothing but this process: for evaluation, galleries and
 * trying an analysis out. Throws MEDIA_INVALID for files without pictures.
 */
export async function* lookAtFile(look: FileLook): AsyncGenerator<UnitLook> {
  const { runner, analysis, path, signal } = look;
  const args = look.args ?? {};
  const specs = runner.identify(analysis, args).frames;
  const { facts, index } = await probeMedia(path);
  // Nothing is cached here, so the media needs no digest of its content.
  const mediaDigest = randomUUID();
  const keepPicture: AnalysisContext<unknown>['keepPicture'] =
    look.keepPicture ??
    (async (key, { width, height }, options) => {
      const scale = Math.min(1, (options?.maxSide ?? Infinity) / Math.max(width, height));
      return { key, width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
    });

  const observe = async (
    packs: Map<string, Buffer>,
    extent: Extract<Extent, { kind: 'image' | 'video' }>,
  ): Promise<UnitLook> => {
    const opened = await Promise.all(
      specs.map((spec) => {
        const pack = packs.get(frameSpecName(spec));
        if (!pack) throw new AditError('PACK_MISSING', `The decoder gave no pack ${frameSpecName(spec)}.`);
        return openFramePackBuffer(pack);
      }),
    );
    const input = { kind: 'frames' as const, unit: { sourceIndex: 0, mediaDigest, facts, ...extent }, packs: opened };
    return { facts, extent, observations: await runner.run({ analysis, args, input, keepPicture, signal }) };
  };

  if (facts.kind === 'image') {
    yield observe(await decodeImage({ path, facts, specs }), { kind: 'image' });
  } else if (facts.kind === 'video' && index) {
    for (const interval of planGrid(index)) {
      yield observe(await decodeInterval({ path, facts, index, interval, specs, signal }), { kind: 'video', interval });
    }
  } else {
    throw new AditError('MEDIA_INVALID', `${path} has no pictures for ${analysis.name} to look at.`);
  }
}
