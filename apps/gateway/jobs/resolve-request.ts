import { AditError, type JobRequest, type Json, type ModelPin, type ProcessingRange } from '@adit/contracts';
import { analysisDigest, AnalysisRegistry, ModelRepository, type ModelVersion } from '@adit/inference';
import type { ResolvedAnalysis, ResolvedModule } from '@adit/jobs';
import {
  chooseModels,
  ModuleRegistry,
  type AnalysisNeed,
  type InstalledModel,
  type RequestedModule,
} from '@adit/mining';
import { Inject, Injectable } from '@nestjs/common';

/** Different requests that are remembered, each of at most so many characters. */
const REMEMBERED = 256;
const LONGEST = 4_096;

/** Turns the modules of a request into what a job stores: arguments complete, models pinned, needs resolved. */
@Injectable()
export class RequestResolver {
  /** By the JSON of their modules: clients ask for the same again and again. Emptied when models are read anew. */
  private readonly resolved = new Map<string, ResolvedModule[]>();
  private resolvedWith: readonly ModelVersion[] = [];

  constructor(
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(ModelRepository) private readonly models: ModelRepository,
    @Inject(AnalysisRegistry) private readonly analyses: AnalysisRegistry,
  ) {}

  /** Throws VALIDATION with a pointer per offending place, MODEL_NOT_INSTALLED with what is installed. */
  resolve(request: JobRequest): readonly ResolvedModule[] {
    const listed = this.models.list();
    if (listed !== this.resolvedWith) this.resolved.clear();
    this.resolvedWith = listed;
    const key = JSON.stringify(request.modules);
    const known = this.resolved.get(key);
    if (known !== undefined) return known;
    const installed = this.installed();
    const modules = this.modules.check(request.modules).map((requested) => this.resolveModule(requested, installed));
    if (key.length <= LONGEST) {
      if (this.resolved.size === REMEMBERED) this.resolved.clear();
      this.resolved.set(key, modules);
    }
    return modules;
  }

  /** What the repository serves, as modules choose from it. */
  installed(): InstalledModel[] {
    return this.models.list().map(({ pin, manifest: { kind, modules, isDefault } }) => ({
      ...pin,
      kind,
      modules,
      isDefault,
    }));
  }

  private resolveModule(requested: RequestedModule, installed: InstalledModel[]): ResolvedModule {
    const { definition, postedAs } = requested;
    const { names, args } = chooseModels(requested, installed);
    return {
      moduleId: definition.id,
      postedAs,
      args,
      range: (args['range'] as ProcessingRange | undefined) ?? null,
      models: names.map((name) => this.models.resolve(name).pin),
      analyses: definition.needs(args, names).map((need) => this.resolveNeed(definition.id, need)),
    };
  }

  private resolveNeed(moduleId: string, need: AnalysisNeed): ResolvedAnalysis {
    const definition = this.analyses.get(need.analysis);
    const parsed = definition.args.safeParse(need.args);
    if (!parsed.success) {
      // The module's own schema let it through, so this is our mistake and not the client's.
      throw new AditError('INTERNAL', `${moduleId} asks ${need.analysis} for something it does not take.`, {
        cause: parsed.error,
      });
    }
    const args = parsed.data as Record<string, Json>;
    const frames = definition.frames(parsed.data);
    const models: ModelPin[] = definition.models.map((name) => this.models.resolve(name).pin);
    const { name: analysis, family, version } = definition;
    return {
      analysis,
      family,
      args,
      frames,
      models,
      digest: analysisDigest({ analysis, version, args, frames, models }),
    };
  }
}
