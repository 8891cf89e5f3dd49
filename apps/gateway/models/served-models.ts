import { frameSide, modelId, zip } from '@adit/contracts';
import { ModelRepository, type ModelVersion } from '@adit/inference';
import { ModuleRegistry, type InstalledModel, type ModelUse } from '@adit/module-kit';
import { Inject, Injectable } from '@nestjs/common';

/** A model that lies in the repository now and that a job may name. */
export interface ServedModel extends ModelUse {
  id: string;
  name: string;
  /** What it says of itself. */
  description: string;
  isPublic: boolean;
  /** By number, one at least. */
  versions: { number: number; digest: string }[];
}

/** What the model repository of this process serves, as clients see it. */
@Injectable()
export class ServedModels {
  private read: readonly ModelVersion[] | null = null;
  private models: readonly ServedModel[] = [];
  private versions: readonly InstalledModel[] = [];

  constructor(
    @Inject(ModelRepository) private readonly repository: ModelRepository,
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
  ) {}

  /** Public ones first, then by name. The same array until the repository is read again. */
  list(): readonly ServedModel[] {
    this.refresh();
    return this.models;
  }

  /** Every version of every model, also of those that no job may name, as modules choose from them. */
  installed(): readonly InstalledModel[] {
    this.refresh();
    return this.versions;
  }

  private refresh(): void {
    const read = this.repository.list();
    if (read === this.read) return;
    this.read = read;
    this.versions = read.map(({ pin, manifest: { kind, family = null, modules, isDefault, input } }) => ({
      ...pin,
      id: modelId(pin.name),
      kind,
      family,
      modules,
      isDefault,
      frameSide: input === undefined ? null : frameSide(input),
    }));
    const models = new Map<string, ServedModel>();
    for (const [{ manifest, builtIn }, installed] of zip(read, this.versions)) {
      const { id, name, version: number, digest } = installed;
      const use = this.modules.useOf(installed);
      if (use === null) continue;
      const { description } = manifest;
      const model = models.get(id) ?? { id, name, description, isPublic: builtIn, ...use, versions: [] };
      model.versions.push({ number, digest });
      models.set(id, model);
    }
    this.models = [...models.values()].sort(
      (a, b) => Number(b.isPublic) - Number(a.isPublic) || (a.name < b.name ? -1 : 1),
    );
  }
}
