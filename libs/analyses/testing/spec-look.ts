import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { inputOf } from '@adit/contracts';
import {
  AnalysisRunner,
  lookAtFile,
  ModelRepository,
  SessionPool,
  type AnalysisContext,
  type AnalysisDefinition,
  type RgbImage,
} from '@adit/inference';
import { TOKENIZERS } from '@adit/inference/families/text-embedding/tokenizer-thread';
import { decodeJpeg, encodeJpeg, openAudioPackBuffer, packAudio } from '@adit/media';
import type { z } from 'zod';

/** Those that come with Adit. */
export const OWN_MODELS = join(import.meta.dirname, '../../../models');

/** For specs: looks at files with one analysis and the repository's own weights. `npm test` installs them first. */
export class SpecLook<Observations> {
  private constructor(
    readonly repository: ModelRepository,
    readonly pool: SessionPool,
    readonly runner: AnalysisRunner,
    private readonly analysis: AnalysisDefinition<z.ZodType, Observations>,
  ) {}

  static async open<Observations>(
    analysis: AnalysisDefinition<z.ZodType, Observations>,
    models: string | string[] = OWN_MODELS,
  ): Promise<SpecLook<Observations>> {
    const repository = await ModelRepository.open({ roots: [models].flat() });
    // One thread: sums in one order, so that equal pictures give equal bytes.
    const pool = new SessionPool({ onnx: { threads: 1 } });
    return new SpecLook(repository, pool, new AnalysisRunner(repository, pool), analysis);
  }

  /** Observations of every unit of a file, one for a photo. Pictures are handed to `kept`. */
  async at(path: string, args: object = {}, kept?: Map<string, RgbImage>): Promise<Observations[]> {
    const units: Observations[] = [];
    const keepPicture: AnalysisContext<unknown>['keepPicture'] = async (key, image, options) => {
      const { data, width, height } = await encodeJpeg(image, options);
      kept?.set(key, await decodeJpeg(data));
      return { key, width, height };
    };
    for await (const unit of lookAtFile({
      runner: this.runner,
      analysis: this.analysis,
      path,
      args,
      keepPicture,
    })) {
      units.push(this.analysis.observations.parse(unit.observations));
    }
    return units;
  }

  /** Observations of sound of 16 kHz in mono that is cut into chunks at these milliseconds. */
  async heard(sound: Float32Array, cuts: readonly number[], args: object): Promise<Observations[]> {
    const wanted = inputOf(this.runner.identify(this.analysis, args));
    const [spec] = wanted.kind === 'audio' ? wanted.specs : [];
    if (!spec) throw new RangeError(`${this.analysis.name} hears nothing.`);
    const facts = {
      ...{ kind: 'audio' as const, container: 'wav', codec: 'pcm_f32le', channels: 1, sampleRate: spec.sampleRate },
      duration: sound.length / spec.sampleRate,
    };
    const ends = [...cuts, Math.ceil((sound.length * 1000) / spec.sampleRate)];
    const units: Observations[] = [];
    for (const [i, endMs] of ends.entries()) {
      const interval = { startMs: ends[i - 1] ?? 0, endMs };
      const sample = (ms: number): number =>
        Math.min(sound.length, Math.max(0, Math.round((ms * spec.sampleRate) / 1000)));
      const [ownStart, ownEnd] = [sample(interval.startMs), sample(endMs)];
      const margin = spec.overlapSeconds * 1000;
      const [start, end] = [sample(interval.startMs - margin), sample(endMs + margin)];
      const place = { sampleRate: spec.sampleRate, channels: 1, start, end, ownStart, ownEnd };
      const pack = await openAudioPackBuffer(packAudio(place, Buffer.from(sound.slice(start, end).buffer)));
      const unit = { sourceIndex: 0, mediaDigest: randomUUID(), facts, kind: 'audio' as const, interval };
      const input = { kind: 'audio' as const, unit, packs: [pack] };
      const keepPicture = (): never => {
        throw new Error('Sound has no pictures.');
      };
      const observations = await this.runner.run({ analysis: this.analysis, args, input, keepPicture });
      units.push(this.analysis.observations.parse(observations));
    }
    return units;
  }

  async close(): Promise<void> {
    await this.pool.close();
    await this.repository.close();
    await TOKENIZERS.close();
  }
}
