import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AditError,
  frameSpecName,
  inputOf,
  type AudioSpec,
  type Extent,
  type FrameSpec,
  type MediaFacts,
  type UnitSource,
} from '@adit/contracts';
import {
  audioPieces,
  cutAudio,
  decodeAudio,
  decodeImage,
  decodeInterval,
  openAudioPackBuffer,
  openFramePackBuffer,
  planAudioGrid,
  planGrid,
  PLANNING_RATE,
  probeMedia,
  tracksEnd,
  type FrameIndex,
} from '@adit/media';
import type { AnalysisContext, AnalysisDefinition, AnalysisInput } from './analysis.js';
import { droppedPicture } from './dropped-picture.js';
import type { AnalysisRunner } from './local-runner.js';

interface FileInference {
  runner: AnalysisRunner;
  analysis: AnalysisDefinition;
  /** A file of the operator: only the decoder's default limits apply. */
  path: string;
  args?: unknown;
  /** Pictures are discarded when omitted. */
  keepPicture?: AnalysisContext<unknown>['keepPicture'];
  signal?: AbortSignal;
}

/** Result of an analysis for one unit of a file: a whole image, or a chunk of a film. */
interface UnitInference {
  facts: MediaFacts;
  extent: Extent;
  /** In the analysis's schema. */
  observations: unknown;
}

/**
 * Runs an analysis over a local file, unit by unit, within this process: for evaluation, galleries and experiments.
 * Throws MEDIA_INVALID for files without the pictures or sound it needs.
 */
export async function* inferFile(request: FileInference): AsyncGenerator<UnitInference> {
  const { runner, analysis, path, signal } = request;
  const args = request.args ?? {};
  const wanted = inputOf(runner.identify(analysis, args));
  const { facts, index } = await probeMedia(path);
  // Nothing is cached here, so the media needs no digest of its content.
  const source = { sourceIndex: 0, mediaDigest: randomUUID(), facts };
  const keepPicture = request.keepPicture ?? droppedPicture;
  const inputs =
    wanted.kind === 'frames'
      ? framesOf({ path, source, index, specs: wanted.specs, signal })
      : audioOf({ path, source, specs: wanted.specs, signal });
  let any = false;
  for await (const input of inputs) {
    any = true;
    const observations = await runner.run({ analysis, args, input, keepPicture, signal });
    yield { facts, extent: input.unit, observations };
  }
  if (any) return;
  const lacking = wanted.kind === 'frames' ? 'pictures' : 'sound';
  throw new AditError('MEDIA_INVALID', `${path} has no ${lacking} for ${analysis.name}.`);
}

interface OfFile<Spec> {
  path: string;
  source: UnitSource;
  specs: Spec[];
  signal?: AbortSignal;
}

async function* framesOf({
  path,
  source,
  index,
  specs,
  signal,
}: OfFile<FrameSpec> & { index: FrameIndex | null }): AsyncGenerator<AnalysisInput> {
  const { facts } = source;
  const opened = async (
    packs: Map<string, Buffer>,
    extent: Extract<Extent, { kind: 'image' | 'video' }>,
  ): Promise<AnalysisInput> => {
    const each = specs.map((spec) => {
      const pack = packs.get(frameSpecName(spec));
      if (!pack) throw new AditError('PACK_MISSING', `The decoder gave no pack ${frameSpecName(spec)}.`);
      return openFramePackBuffer(pack);
    });
    return { kind: 'frames', unit: { ...source, ...extent }, packs: await Promise.all(each) };
  };
  if (facts.kind === 'image') yield opened(await decodeImage({ path, facts, specs }), { kind: 'image' });
  if (facts.kind !== 'video' || index === null) return;
  for (const interval of planGrid(index)) {
    yield opened(await decodeInterval({ path, facts, index, interval, specs, signal }), { kind: 'video', interval });
  }
}

async function* audioOf({ path, source, specs, signal }: OfFile<AudioSpec>): AsyncGenerator<AnalysisInput<'audio'>> {
  const { facts } = source;
  if (facts.kind === 'image') return;
  const directory = await mkdtemp(join(tmpdir(), 'adit-audio-'));
  try {
    const decoded = (format: Pick<AudioSpec, 'sampleRate' | 'channels' | 'track'>, name: string) =>
      decodeAudio({ path, facts, format, target: join(directory, name), signal });
    const planned = await decoded({ sampleRate: PLANNING_RATE, channels: 1 }, 'plan');
    const grid = await planAudioGrid(audioPieces(planned), { leastSeconds: tracksEnd(facts) });
    const sounds = await Promise.all(specs.map(async (spec, at) => ({ spec, audio: await decoded(spec, String(at)) })));
    for (const interval of grid) {
      const packs = sounds.map(async ({ spec, audio }) => openAudioPackBuffer(await cutAudio(audio, interval, spec)));
      yield { kind: 'audio', unit: { ...source, kind: 'audio', interval }, packs: await Promise.all(packs) };
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
