import { join } from 'node:path';
import {
  AnalysisRunner,
  lookAtFile,
  ModelRepository,
  SessionPool,
  type AnalysisContext,
  type AnalysisDefinition,
  type RgbImage,
} from '@adit/inference';
import { decodeJpeg, encodeJpeg } from '@adit/media';
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

  async close(): Promise<void> {
    await this.pool.close();
    await this.repository.close();
  }
}
