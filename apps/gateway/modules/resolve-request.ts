import { AditError, type JobRequest, type Json, type ModelPin, type ProcessingRange } from '@adit/contracts';
import {
  analysisDigest,
  AnalysisRegistry,
  identityOf,
  modelsOf,
  ModelRepository,
  takesFrameRate,
  type ModelVersion,
} from '@adit/inference';
import type { ResolvedAnalysis, ResolvedModule } from '@adit/jobs';
import {
  chooseModels,
  ModuleRegistry,
  pointerTo,
  type AnalysisNeed,
  type DictionaryWord,
  type InstalledModel,
  type RequestedModule,
} from '@adit/module-kit';
import { Inject, Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { Models } from '../models/models.js';
import { ServedModels } from '../models/served-models.js';

/** Different requests that are remembered, each of at most so many characters. */
const REMEMBERED = 256;
const MAX_KEY_LENGTH = 4_096;
/** The digest of what made galleries of builds that did not say it: then there was one network of faces, which was fed red first. */
const UNSAID: Readonly<Record<string, string>> = {
  'face-embedding': 'e28959c1b6a845fb4d0a394334606ac1e4aec710ec824cfcfd1773d1960b5990',
};

/** Turns the modules of a request into what a job stores: arguments complete, models pinned, needs resolved. */
@Injectable()
export class RequestResolver {
  /**
   * By the JSON of their modules and the models to choose from: clients ask for the same again and again. Emptied when models
   * are read anew.
   */
  private readonly resolved = new Map<string, ResolvedModule[]>();
  private resolvedWith: readonly ModelVersion[] = [];

  constructor(
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(ModelRepository) private readonly models: ModelRepository,
    @Inject(AnalysisRegistry) private readonly analyses: AnalysisRegistry,
    @Inject(ServedModels) private readonly served: ServedModels,
    @Inject(Models) private readonly named: Models,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'framesPerSecond' | 'float16Families'>,
  ) {
    const known = new Set(analyses.all().map(({ family }) => family));
    const unknown = config.float16Families.find((family) => !known.has(family));
    if (unknown === undefined) return;
    throw new AditError(
      'VALIDATION',
      `ADIT_FLOAT16_FAMILIES names ${unknown}; there are ${[...known].sort().join(', ')}.`,
    );
  }

  /** Throws VALIDATION with a pointer per offending place, MODEL_NOT_INSTALLED with what is installed. */
  async resolve(workspaceId: string, request: Pick<JobRequest, 'modules'>): Promise<readonly ResolvedModule[]> {
    const deleted = await this.named.deletedBy(workspaceId);
    // Nothing waits from here on, so that what is remembered fits the models it is remembered with.
    const listed = this.models.list();
    if (listed !== this.resolvedWith) this.resolved.clear();
    this.resolvedWith = listed;
    const key = [this.served.sharedBy(workspaceId), ...deleted, JSON.stringify(request.modules)].join(' ');
    const known = this.resolved.get(key);
    if (known !== undefined) return known;
    const installed = this.installedWithout(workspaceId, deleted);
    const modules = this.modules
      .check(request.modules)
      .map((requested) => this.resolveModule(workspaceId, requested, installed));
    if (key.length <= MAX_KEY_LENGTH) {
      if (this.resolved.size === REMEMBERED) this.resolved.clear();
      this.resolved.set(key, modules);
    }
    return modules;
  }

  /** The module once its dictionaries are known: what it looks or listens with may change, and with it what is known already. */
  withWords(module: ResolvedModule, words: readonly DictionaryWord[]): ResolvedModule {
    const definition = this.modules.get(module.moduleId);
    const analyses = module.analyses.map((resolved) => {
      const { analysis, args, models } = resolved;
      const need = { analysis, args };
      const resolvedNeed = definition.withWords?.(need, words) ?? need;
      return resolvedNeed === need ? resolved : this.resolveNeed(definition.id, resolvedNeed, models);
    });
    return { ...module, analyses };
  }

  /** An analysis by itself, with the models that are installed. Throws MODEL_NOT_INSTALLED. */
  resolveAnalysis(need: AnalysisNeed): ResolvedAnalysis {
    return this.resolveNeed('An online inference request', need, []);
  }

  /** Returns the models that modules choose from for a job of the workspace. */
  async installed(workspaceId: string): Promise<readonly InstalledModel[]> {
    return this.installedWithout(workspaceId, await this.named.deletedBy(workspaceId));
  }

  private installedWithout(workspaceId: string, deleted: ReadonlySet<string>): readonly InstalledModel[] {
    return this.served.installed(workspaceId).filter(({ id }) => !deleted.has(id));
  }

  private resolveModule(
    workspaceId: string,
    requested: RequestedModule,
    installed: readonly InstalledModel[],
  ): ResolvedModule {
    const { definition, postedAs } = requested;
    const { names, versions, args: complete } = chooseModels(withoutGeneral(requested, installed), installed);
    const pins = names.map((name) => this.served.pin(workspaceId, name, versions.get(name)));
    // Digests of the versions that the job runs, out of the models that it names.
    const digests = new Set(pins.map(({ digest }) => digest));
    const chosen = installed.filter(({ name, digest }) => digests.has(digest) || !names.includes(name));
    const found = definition.fromModels?.(installed.filter(({ digest }) => digests.has(digest))) ?? {};
    const args = { ...complete, ...pick(found, requested.leftOut) };
    const runs = [...pins, ...this.networksOf(workspaceId, requested, pins)];
    const analyses = definition.needs(args, names, chosen).map((need) => this.resolveNeed(definition.id, need, runs));
    return {
      moduleId: definition.id,
      postedAs,
      args,
      // Every module's schema extends StandardArguments, which has parsed them.
      range: (args['range'] as ProcessingRange | undefined) ?? null,
      models: pins,
      media: definition.media,
      analyses,
    };
  }

  /**
   * The networks that these galleries were made with, each in the version that made them, also where its name means another now: they are
   * compared with what that gives and with no other, distances would mean nothing. Throws MODEL_NOT_INSTALLED when it is gone, or
   * another gallery was made with another version of it.
   */
  private networksOf(workspaceId: string, requested: RequestedModule, pins: readonly ModelPin[]): ModelPin[] {
    const networks = new Map<string, { pin: ModelPin; gallery: ModelPin }>();
    for (const gallery of pins) {
      const { manifest, stored: inStore } = this.models.byDigest(gallery.digest);
      const { embedding, embeddedWith } = manifest;
      if (embedding === undefined) continue;
      const made = embeddedWith?.[inStore === undefined ? String(gallery.version) : '1'] ?? UNSAID[embedding];
      if (made === undefined) continue;
      const network = this.models.list().find(({ pin, stored }) => {
        const owner = stored?.workspaceId ?? null;
        return pin.name === embedding && pin.digest === made && (owner === null || owner === workspaceId);
      });
      if (network === undefined) {
        throw this.otherEmbedding(requested, gallery, `another ${embedding} than the one that is installed`);
      }
      const { pin } = network;
      const other = networks.get(embedding) ?? { pin, gallery };
      if (other.pin.digest !== pin.digest) {
        const [older, newer] = other.pin.version < pin.version ? [other.gallery, gallery] : [gallery, other.gallery];
        throw this.otherEmbedding(requested, older, `another ${embedding} than ${newer.name}`);
      }
      networks.set(embedding, other);
    }
    return [...networks.values()].map(({ pin }) => pin);
  }

  private otherEmbedding(
    { definition, postedAs }: RequestedModule,
    { name, digest }: ModelPin,
    made: string,
  ): AditError {
    const command = definition.takes?.rebuild?.(name);
    const photos =
      command === undefined ? 'build it again of its photos' : `build it again of its photos with "${command}"`;
    // Models in the store were trained.
    const again = this.models.byDigest(digest).stored === undefined ? photos : 'train its dataset again';
    const message = `The model ${name} was made with ${made}: ${again}, or put back the network that made it.`;
    const errors = [{ pointer: pointerTo('modules', postedAs, 'model'), code: 'other_embedding', message }];
    return new AditError('MODEL_NOT_INSTALLED', message, { errors });
  }

  /** An analysis runs what the module was given, and beside it what everybody's analyses run. */
  private resolveNeed(moduleId: string, need: AnalysisNeed, pins: readonly ModelPin[]): ResolvedAnalysis {
    const definition = this.analyses.get(need.analysis);
    const parsed = definition.args.safeParse({ ...this.usualArgs(definition.args), ...need.args });
    if (!parsed.success) {
      // The module's own schema let it through, so this is our mistake and not the client's.
      throw new AditError('INTERNAL', `${moduleId} asks ${need.analysis} for something it does not take.`, {
        cause: parsed.error,
      });
    }
    const half = this.config.float16Families.includes(definition.family);
    const models = modelsOf(definition, parsed.data)
      .map((name) => pins.find((pin) => pin.name === name) ?? this.models.resolve(name).pin)
      .map((pin): ModelPin => (half ? { ...pin, precision: 'float16' } : pin));
    const identity = identityOf(definition, parsed.data, models);
    const { analysis, frames, audio } = identity;
    // Arguments of analyses are objects: their schemas are.
    const args = identity.args as Record<string, Json>;
    return { analysis, family: definition.family, args, frames, audio, models, digest: analysisDigest(identity) };
  }

  /** Returns the installation's replacements of an analysis's own defaults. */
  private usualArgs(args: z.ZodType): Record<string, Json> {
    const { framesPerSecond: rate } = this.config;
    return rate !== undefined && takesFrameRate(args) ? { rate } : {};
  }
}

function pick(args: Record<string, Json>, keys: readonly string[]): Record<string, Json> {
  return Object.fromEntries(Object.entries(args).filter(([key]) => keys.includes(key)));
}

/** `general` is how the interface calls the default model of objects and landmarks, unless a model is called so. */
function withoutGeneral(requested: RequestedModule, installed: readonly InstalledModel[]): RequestedModule {
  const { definition, args } = requested;
  const { takes } = definition;
  if (args['model'] !== 'general' || takes === undefined || takes.type === 'face') return requested;
  if (installed.some((model) => model.name === 'general' && takes.includes(model))) return requested;
  const { model: _, ...others } = args;
  return { ...requested, args: others };
}
