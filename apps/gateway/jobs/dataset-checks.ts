import { AditError, type ErrorDetail } from '@adit/contracts';
import { DatasetEntity } from '@adit/database';
import type { ResolvedModule } from '@adit/jobs';
import { ModuleRegistry, pointerTo } from '@adit/module-kit';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';

/** Tells whether a job can teach the datasets that it names. */
@Injectable()
export class DatasetChecks {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ModuleRegistry) private readonly registry: ModuleRegistry,
  ) {}

  /** Asks the database nothing when no module names one. Throws VALIDATION with a pointer to each that cannot be used. */
  async check(workspaceId: string, modules: readonly ResolvedModule[]): Promise<void> {
    const errors: ErrorDetail[] = [];
    for (const { moduleId, postedAs, args } of modules) {
      const wanted = this.registry.get(moduleId).dataset?.(args) ?? null;
      if (wanted === null) continue;
      const { id, type, path } = wanted;
      const dataset = await this.db.manager.findOneBy(DatasetEntity, { id, workspaceId, timeDeleted: IsNull() });
      if (dataset?.type === type) continue;
      const message =
        dataset === null
          ? `There is no dataset ${id}.`
          : `${dataset.name} is a dataset of type ${dataset.type}; one of type ${type} is meant.`;
      errors.push({ pointer: pointerTo('modules', postedAs, ...path), code: 'unknown_dataset', message });
    }
    if (errors.length > 0) {
      throw new AditError('VALIDATION', errors.map(({ message }) => message).join(' '), { errors });
    }
  }
}
