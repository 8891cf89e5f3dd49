import { AditError, frameSide, modelId, type ModelManifest, type ModelPin, type ModelType, zip } from '@adit/contracts';
import { ModelRepository, type ModelVersion } from '@adit/inference';
import { ModuleRegistry, type InstalledModel } from '@adit/module-kit';
import { Inject, Injectable } from '@nestjs/common';

/** A model that a workspace sees now. */
export interface ServedModel {
  id: string;
  name: string;
  type: ModelType;
  /** Modules that take it in a job; none for a model that only analyses use. */
  modules: string[];
  /** Manifest of its default version. */
  manifest: ModelManifest;
  isPublic: boolean;
  /** Whose alone it is; null: every workspace sees it. */
  workspaceId: string | null;
  /** Its versions lie in the store, where they can be promoted and retired. */
  isStored: boolean;
  /** By number, one at least. */
  versions: { number: number; digest: string }[];
  /** The version that its name means. */
  defaultVersion: number;
}

/** The models that a workspace may choose from. */
interface Choice {
  /** Public ones first, then by name; networks that only analyses look with are among them. */
  models: readonly ServedModel[];
  /** Every version of every model. */
  installed: readonly InstalledModel[];
}

/** Shows clients the models that this process's model repository serves. */
@Injectable()
export class ServedModels {
  private read: readonly ModelVersion[] | null = null;
  /** By workspace; those that have no models of their own share one. */
  private readonly choices = new Map<string | null, Choice>();
  private owners = new Set<string>();

  constructor(
    @Inject(ModelRepository) private readonly repository: ModelRepository,
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
  ) {}

  /** Lists the models that the workspace's jobs may name, public ones first, then by name. */
  list(workspaceId: string): readonly ServedModel[] {
    return this.all(workspaceId).filter(({ modules }) => modules.length > 0);
  }

  /** Also those that only analyses look with. */
  all(workspaceId: string | null): readonly ServedModel[] {
    return this.choice(workspaceId).models;
  }

  /** Every version of every model, also of those that no job may name, as modules choose from them. */
  installed(workspaceId: string): readonly InstalledModel[] {
    return this.choice(workspaceId).installed;
  }

  /** Workspaces that share this choose from the same. */
  sharedBy(workspaceId: string): string {
    this.refresh();
    return this.owners.has(workspaceId) ? workspaceId : '';
  }

  /** Resolves a name for a workspace to its default version, or to the given one. Throws MODEL_NOT_INSTALLED. */
  pin(workspaceId: string, name: string, version?: number): ModelPin {
    const model = this.all(workspaceId).find((each) => each.name === name);
    const wanted = version ?? model?.defaultVersion;
    const found = model?.versions.find(({ number }) => number === wanted);
    if (found === undefined) {
      const asked = version === undefined ? name : `${name} version ${version}`;
      throw new AditError('MODEL_NOT_INSTALLED', `Model ${asked} is not installed.`);
    }
    return { name, version: found.number, digest: found.digest };
  }

  private choice(workspaceId: string | null): Choice {
    this.refresh();
    const owner = workspaceId !== null && this.owners.has(workspaceId) ? workspaceId : null;
    let choice = this.choices.get(owner);
    if (choice === undefined) {
      choice = this.choiceOf(owner);
      this.choices.set(owner, choice);
    }
    return choice;
  }

  private refresh(): void {
    const read = this.repository.list();
    if (read === this.read) return;
    this.read = read;
    this.choices.clear();
    this.owners = new Set(read.flatMap(({ stored }) => stored?.workspaceId ?? []));
  }

  private choiceOf(workspaceId: string | null): Choice {
    const read = this.read ?? [];
    const own = read.filter(({ stored }) => workspaceId !== null && stored?.workspaceId === workspaceId);
    // A model of the workspace hides a public one of the same name.
    const names = new Set(own.map(({ pin }) => pin.name));
    const others = read.filter(({ stored, pin }) => (stored?.workspaceId ?? null) === null && !names.has(pin.name));
    const seen = [...others, ...own];
    const installed = seen.map(
      ({
        pin,
        stored,
        manifest: {
          kind,
          family = null,
          modules,
          isDefault,
          input,
          decoding,
          labels,
          embedding = null,
          maxDistance = null,
        },
      }) => ({
        ...pin,
        id: modelId(pin.name, stored?.workspaceId ?? null),
        kind,
        family,
        modules,
        isDefault,
        embedding,
        maxDistance,
        frameSide: input === undefined ? null : frameSide(input),
        decoding: decoding ?? null,
        labels: labels?.length ?? 0,
      }),
    );
    const models = new Map<string, ServedModel>();
    for (const [version, each] of zip(seen, installed)) {
      const { id, version: number, digest } = each;
      const model = models.get(id) ?? this.begun(version, each);
      model.versions.push({ number, digest });
      model.defaultVersion = version.manifest.defaultVersion ?? number;
      if (number <= model.defaultVersion) model.manifest = version.manifest;
      models.set(id, model);
    }
    const sorted = [...models.values()].sort(
      (a, b) => Number(b.isPublic) - Number(a.isPublic) || inOrder(a.name, b.name) || inOrder(a.id, b.id),
    );
    return { models: sorted, installed };
  }

  private begun({ manifest, builtIn, stored }: ModelVersion, installed: InstalledModel): ServedModel {
    const use = this.modules.useOf(installed);
    return {
      id: installed.id,
      name: installed.name,
      type: use?.type ?? (manifest.task.startsWith('face') ? 'face' : 'object'),
      modules: use?.modules ?? [],
      manifest,
      isPublic: builtIn,
      workspaceId: stored?.workspaceId ?? null,
      isStored: stored !== undefined,
      versions: [],
      defaultVersion: 0,
    };
  }
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
