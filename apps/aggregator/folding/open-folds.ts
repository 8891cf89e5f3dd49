import { AditError, dropOldest, type Json } from '@adit/contracts';
import type { JobModuleEntity } from '@adit/database';
import { ModelRepository } from '@adit/inference';
import { DictionaryStore } from '@adit/dictionaries';
import { ModuleRegistry, type Fold } from '@adit/module-kit';
import { Inject, Injectable } from '@nestjs/common';

const KEPT = 64;

/** Cache of folds opened for the modules of jobs: galleries and dictionaries are read once, not for each chunk. */
@Injectable()
export class OpenFolds {
  private readonly recent = new Map<string, Promise<Fold<Json>>>();

  constructor(
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(ModelRepository) private readonly models: ModelRepository,
    @Inject(DictionaryStore) private readonly dictionaries: DictionaryStore,
  ) {}

  /** Opens the fold of a module. Throws MODEL_NOT_INSTALLED when a pinned model is gone. */
  get(module: JobModuleEntity): Promise<Fold<Json>> {
    const key = `${module.jobId}/${module.moduleId}`;
    let opened = this.recent.get(key);
    if (opened === undefined) {
      opened = this.open(module);
      opened.catch(() => this.recent.delete(key));
    }
    this.recent.delete(key);
    this.recent.set(key, opened);
    dropOldest(this.recent, KEPT);
    return opened;
  }

  private open(module: JobModuleEntity): Promise<Fold<Json>> {
    return this.modules.get(module.moduleId).open(module.args, {
      models: module.models,
      readModelFile: (pin, file) => this.models.readFile(pin, file),
      readDictionary: async (id) => {
        const pin = module.dictionaries?.find((pinned) => pinned.id === id);
        if (pin === undefined) throw new AditError('INTERNAL', `The job has not pinned the dictionary ${id}.`);
        return this.dictionaries.read(pin);
      },
    });
  }
}
