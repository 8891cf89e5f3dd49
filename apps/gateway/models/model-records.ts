import { AditError } from '@adit/contracts';
import { ModelEntity, ModelVersionEntity, outsideTransaction } from '@adit/database';
import { ModelRepository } from '@adit/inference';
import { recordVersions } from '@adit/model-store';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { ServedModels, type ServedModel } from './served-models.js';

const log = createLogger('models');

/** The rows of a served model; `versions` as the model has them. */
export interface ModelRecord {
  model: ModelEntity;
  versions: ModelVersionEntity[];
}

/** Writes models and versions down when they are first seen, so that every process, then and later, says the same of them. */
@Injectable()
export class ModelRecords implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private unwatch: (() => void) | null = null;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ModelRepository) private readonly repository: ModelRepository,
    @Inject(ServedModels) private readonly served: ServedModels,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.unwatch = this.repository.onChange(() => {
      // Whoever reads them before that writes them too.
      outsideTransaction(() => this.write(this.served.all(null))).catch((err: unknown) =>
        log.warn({ err }, 'what is new in the model repository could not be written down yet'),
      );
    });
    await this.write(this.served.all(null));
  }

  beforeApplicationShutdown(): void {
    this.unwatch?.();
  }

  /** Returns the record of each model, in the given order. */
  async of(models: readonly ServedModel[]): Promise<ModelRecord[]> {
    const known = await this.read(models);
    if (known !== null) return known;
    await this.write(models);
    const written = await this.read(models);
    if (written !== null) return written;
    throw new AditError('INTERNAL', 'A model that was written down is not there.');
  }

  /** Null when one is not written down yet. */
  private async read(models: readonly ServedModel[]): Promise<ModelRecord[] | null> {
    const ids = models.map(({ id }) => id);
    const rows = await this.db.manager.findBy(ModelEntity, { id: In(ids) });
    const versionRows = await this.db.manager.findBy(ModelVersionEntity, { modelId: In(ids) });
    const records = models.flatMap(({ id, versions }) => {
      const found = versions.flatMap(
        ({ number, digest }) =>
          versionRows.find((row) => row.modelId === id && row.versionNumber === number && row.digest === digest) ?? [],
      );
      const model = rows.find((row) => row.id === id);
      return model === undefined || found.length < versions.length ? [] : [{ model, versions: found }];
    });
    return records.length < models.length ? null : records;
  }

  private async write(models: readonly ServedModel[]): Promise<void> {
    // The store has written its own down.
    const rows = models.flatMap(({ id, name, type, isStored, versions }) =>
      isStored ? [] : versions.map((version) => ({ id, name, type, ...version })),
    );
    if (rows.length > 0) await recordVersions(this.db, rows);
  }
}
