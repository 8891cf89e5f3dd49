// Runs an analysis, `faces` unless another is asked for, over files, exactly as a job does, and remembers what it saw.
import { analysesFolder } from '@adit/analyses';
import { decodeEmbedding } from '@adit/analyses/faces/embedding';
import { AnalysisRegistry, AnalysisRunner, inferFile, ModelRepository, SessionPool } from '@adit/inference';

class HalfPool extends SessionPool {
  acquire(model) {
    return super.acquire(model, 'float16');
  }
}

export class FileAnalyser {
  #seen = new Map();

  /** `half`: all networks calculate as they do in float16, rounded on the CPU. */
  static async open(modelsFolders, half = false) {
    const repository = await ModelRepository.open({ roots: modelsFolders });
    const pool = half ? new HalfPool() : new SessionPool();
    const analysis = (await AnalysisRegistry.scan(analysesFolder)).get('faces');
    return new FileAnalyser(repository, pool, new AnalysisRunner(repository, pool), analysis);
  }

  constructor(repository, pool, runner, analysis) {
    Object.assign(this, { repository, pool, runner, analysis });
  }

  /** The same for another analysis; close the first one only. */
  async of(analysis) {
    const registry = await AnalysisRegistry.scan(analysesFolder);
    return new FileAnalyser(this.repository, this.pool, this.runner, registry.get(analysis));
  }

  /** [{facts, extent, observations}] of every unit of a file, looked at with arguments of the analysis. */
  async units(path, args = {}) {
    const key = `${path} ${JSON.stringify(args)}`;
    if (!this.#seen.has(key)) {
      const units = [];
      const { runner, analysis } = this;
      for await (const unit of inferFile({ runner, analysis, path, args })) units.push(unit);
      this.#seen.set(key, units);
    }
    return this.#seen.get(key);
  }

  /** Faces of a photo, from left to right: {box: [x, y, w, h], embedding or null, female and age or null, view with expression}. */
  async faces(path) {
    const [{ observations }] = await this.units(path, { expressions: true });
    return observations.tracks
      .map(({ sightings: [{ box }], views: [view], female, age, expression }) => ({
        box: [box.x, box.y, box.w, box.h],
        embedding: view ? decodeEmbedding(view.embedding) : null,
        female,
        age,
        view: view && { ...view, expression },
      }))
      .sort((a, b) => a.box[0] - b.box[0]);
  }

  async close() {
    await this.pool.close();
    await this.repository.close();
  }
}
