import { join } from 'node:path';
import {
  AnalysisRegistry,
  AnalysisRunner,
  lookAtFile,
  ModelRepository,
  SessionPool,
  type AnalysisContext,
  type RgbImage,
} from '@adit/inference';
import { decodeJpeg, encodeJpeg } from '@adit/media';
import { FaceObservations } from './observations.js';

/** For specs: looks at files with the repository's own weights. `npm test` installs them first. */
export class SpecLook {
  private constructor(
    readonly repository: ModelRepository,
    readonly pool: SessionPool,
    readonly runner: AnalysisRunner,
    private readonly registry: AnalysisRegistry,
  ) {}

  static async open(): Promise<SpecLook> {
    const folder = join(import.meta.dirname, '..');
    const repository = await ModelRepository.open({ roots: [join(folder, '../../models')] });
    // One thread: sums in one order, so that equal pictures give equal bytes.
    const pool = new SessionPool({ onnx: { threads: 1 } });
    return new SpecLook(repository, pool, new AnalysisRunner(repository, pool), await AnalysisRegistry.scan(folder));
  }

  /** Observations of every unit of a file, one for a photo. Pictures are handed to `kept`. */
  async at(path: string, args: object = {}, kept?: Map<string, RgbImage>): Promise<FaceObservations[]> {
    const units: FaceObservations[] = [];
    const keepPicture: AnalysisContext<unknown>['keepPicture'] = async (key, image, options) => {
      const { data, width, height } = await encodeJpeg(image, options);
      kept?.set(key, await decodeJpeg(data));
      return { key, width, height };
    };
    for await (const unit of lookAtFile({
      runner: this.runner,
      analysis: this.registry.get('faces'),
      path,
      args,
      keepPicture,
    })) {
      units.push(FaceObservations.parse(unit.observations));
    }
    return units;
  }

  async close(): Promise<void> {
    await this.pool.close();
    await this.repository.close();
  }
}
