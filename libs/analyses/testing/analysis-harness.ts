import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inputOf } from '@adit/contracts';
import {
  AnalysisRunner,
  inferFile,
  ModelRepository,
  SessionPool,
  type AnalysisContext,
  type AnalysisDefinition,
  type RgbImage,
} from '@adit/inference';
import { TOKENIZERS } from '@adit/inference/families/text-embedding/tokenizer-thread';
import { cutAudio, decodeJpeg, encodeJpeg, openAudioPackBuffer } from '@adit/media';
import type { z } from 'zod';

/** Folder of the models that come with Adit. */
export const OWN_MODELS = join(import.meta.dirname, '../../../models');

/** Test helper: runs one analysis over files with the repository's own weights. `npm test` installs them first. */
export class AnalysisHarness<Observations> {
  private constructor(
    readonly repository: ModelRepository,
    readonly pool: SessionPool,
    readonly runner: AnalysisRunner,
    private readonly analysis: AnalysisDefinition<z.ZodType, Observations>,
  ) {}

  static async open<Observations>(
    analysis: AnalysisDefinition<z.ZodType, Observations>,
    models: string | string[] = OWN_MODELS,
  ): Promise<AnalysisHarness<Observations>> {
    const repository = await ModelRepository.open({ roots: [models].flat() });
    // One thread fixes the order of sums, so that equal pictures give equal bytes.
    const pool = new SessionPool({ onnx: { threads: 1 } });
    return new AnalysisHarness(repository, pool, new AnalysisRunner(repository, pool), analysis);
  }

  /** Returns the observations of every unit of a file, one for a photo. `kept` collects the pictures. */
  async at(path: string, args: object = {}, kept?: Map<string, RgbImage>): Promise<Observations[]> {
    const units: Observations[] = [];
    const keepPicture: AnalysisContext<unknown>['keepPicture'] = async (key, image, options) => {
      const { data, width, height } = await encodeJpeg(image, options);
      kept?.set(key, await decodeJpeg(data));
      return { key, width, height };
    };
    for await (const unit of inferFile({
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

  /** Returns the observations of 16 kHz mono sound that is cut into chunks at these milliseconds. */
  async ofSound(sound: Float32Array, cuts: readonly number[], args: object): Promise<Observations[]> {
    const wanted = inputOf(this.runner.identify(this.analysis, args));
    const specs = wanted.kind === 'audio' ? wanted.specs : [];
    const [format] = specs;
    if (!format) throw new RangeError(`${this.analysis.name} does not analyse sound.`);
    const { sampleRate } = format;
    const facts = {
      ...{ kind: 'audio' as const, container: 'wav', codec: 'pcm_f32le', channels: 1, sampleRate },
      duration: sound.length / sampleRate,
    };
    const source = { sourceIndex: 0, mediaDigest: randomUUID(), facts };
    const keepPicture = (): never => {
      throw new Error('Sound has no pictures.');
    };
    const ends = [...cuts, Math.ceil((sound.length * 1000) / sampleRate)];
    const units: Observations[] = [];
    const folder = await mkdtemp(join(tmpdir(), 'adit-sound-'));
    try {
      const audio = { path: join(folder, 'sound'), sampleRate, channels: 1, samples: sound.length };
      await writeFile(audio.path, Buffer.from(sound.buffer, sound.byteOffset, sound.byteLength));
      for (const [i, endMs] of ends.entries()) {
        const interval = { startMs: ends[i - 1] ?? 0, endMs };
        const cut = specs.map(async (spec) => openAudioPackBuffer(await cutAudio(audio, interval, spec)));
        const unit = { ...source, kind: 'audio' as const, interval };
        const input = { kind: 'audio' as const, unit, packs: await Promise.all(cut) };
        const observations = await this.runner.run({ analysis: this.analysis, args, input, keepPicture });
        units.push(this.analysis.observations.parse(observations));
      }
    } finally {
      await rm(folder, { recursive: true });
    }
    return units;
  }

  /** Returns the observations of a part of 16 kHz mono sound, given by its packs. */
  async ofPacks(packs: readonly Buffer[], args: object): Promise<Observations> {
    const opened = await Promise.all(packs.map((pack) => openAudioPackBuffer(pack)));
    const [first] = opened;
    if (!first) throw new RangeError(`${this.analysis.name} has at least one pack.`);
    const [sampleRate, duration] = [first.sampleRate, first.end / first.sampleRate];
    const facts = { kind: 'audio' as const, container: 'wav', codec: 'pcm_f32le', channels: 1, sampleRate, duration };
    const interval = {
      startMs: Math.round((first.ownStart * 1000) / sampleRate),
      endMs: Math.round((first.ownEnd * 1000) / sampleRate),
    };
    const unit = { sourceIndex: 0, mediaDigest: randomUUID(), facts, kind: 'audio' as const, interval };
    const keepPicture = (): never => {
      throw new Error('Sound has no pictures.');
    };
    const input = { kind: 'audio' as const, unit, packs: opened };
    return this.analysis.observations.parse(
      await this.runner.run({ analysis: this.analysis, args, input, keepPicture }),
    );
  }

  async close(): Promise<void> {
    await this.pool.close();
    await this.repository.close();
    await TOKENIZERS.close();
  }
}
