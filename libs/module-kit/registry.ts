import { AditError } from '@adit/contracts';
import type { ErrorDetail, Json, ModelType } from '@adit/contracts';
import { scanFolder, type Found } from '@adit/runtime/scan-folder';
import { nearestName } from '@adit/dictionaries';
import { z } from 'zod';
import { argumentDetails, pointerTo } from './argument-errors.js';
import type { InstalledModel, ModelSlot, ModuleDefinition } from './module.js';

/** A checked module of a request: arguments with their defaults, and the models it will use. */
export interface RequestedModule {
  definition: ModuleDefinition;
  /** Id as posted, which may be an alias; events and the job use it. */
  postedAs: string;
  args: Record<string, Json>;
  /** Names of `args` that the request omitted. */
  leftOut: readonly string[];
}

/** An entry of GET /v1/modules/. */
interface ModuleDescription {
  id: string;
  aliases: string[];
  result_module: string;
  media: string[];
  /** JSON Schema of the arguments as a client posts them. */
  arguments: Record<string, unknown>;
  models: { name: string; version: number; is_default: boolean }[];
  /** Model slots that are not installed here. */
  models_not_installed: ModelSlot[];
}

/** Use of a model: jobs of these modules may name it. */
export interface ModelUse {
  type: ModelType;
  modules: string[];
}

/** Modules of a folder, by id and alias. */
export class ModuleRegistry {
  private readonly byName = new Map<string, ModuleDefinition>();

  constructor(readonly modules: readonly ModuleDefinition[]) {
    for (const module of modules) {
      for (const name of [module.id, ...module.aliases]) {
        if (this.byName.has(name)) throw new Error(`Two modules call themselves ${name}.`);
        this.byName.set(name, module);
      }
    }
  }

  /**
   * Finds `<folder>/<module-id>/module.ts` (from source) or `module.js` (built). Throws when a module has no default
   * export or another id than its folder.
   */
  static async scan(folder: string): Promise<ModuleRegistry> {
    const found = await scanFolder<ModuleDefinition>(folder, 'module');
    return new ModuleRegistry(found.map(checked));
  }

  find(name: string): ModuleDefinition | undefined {
    return this.byName.get(name);
  }

  /** Returns the module of a stored job; throws INTERNAL when this installation no longer has it. */
  get(name: string): ModuleDefinition {
    const module = this.byName.get(name);
    if (module === undefined) throw new AditError('INTERNAL', `The module ${name} is not part of this installation.`);
    return module;
  }

  /**
   * Checks the `modules` of a request: every error of every module in one VALIDATION error, with JSON Pointers into the
   * body. Defaults are filled in.
   */
  check(requested: Record<string, Record<string, unknown>>): RequestedModule[] {
    const checked: RequestedModule[] = [];
    const errors: ErrorDetail[] = [];
    for (const [name, given] of Object.entries(requested)) {
      const definition = this.byName.get(name);
      if (definition === undefined) {
        errors.push({
          pointer: pointerTo('modules', name),
          code: 'unknown_module',
          message: this.noModule(name),
        });
        continue;
      }
      const twin = checked.find((other) => other.definition === definition);
      if (twin !== undefined) {
        errors.push({
          pointer: pointerTo('modules', name),
          code: 'module_twice',
          message: `${name} and ${twin.postedAs} are the same module; name it once.`,
        });
      }
      const parsed = definition.args.safeParse(given);
      // Arguments come from JSON, and their schemas keep them JSON.
      if (parsed.success) {
        const args = parsed.data as Record<string, Json>;
        const leftOut = Object.keys(args).filter((key) => given[key] === undefined);
        checked.push({ definition, postedAs: name, args, leftOut });
      } else errors.push(...argumentDetails(['modules', name], parsed.error.issues));
    }
    if (errors.length > 0)
      throw new AditError('VALIDATION', errors.map((error) => error.message).join(' '), { errors });
    return checked;
  }

  private noModule(name: string): string {
    const ids = this.modules.map(({ id }) => id);
    const nearest = nearestName(name, ids);
    const meant = nearest === null ? '' : ` Did you mean ${nearest}?`;
    return `There is no module ${name}.${meant} Installed: ${ids.join(', ') || 'none'}.`;
  }

  /** Returns the modules for which a client can name a model; null for one that only analyses use. */
  useOf(model: InstalledModel): ModelUse | null {
    const takers = this.modules.filter(({ takes }) => takes?.includes(model) ?? false);
    const type = takers[0]?.takes?.type;
    return type === undefined ? null : { type, modules: takers.map(({ id }) => id) };
  }

  /** GET /v1/modules/: the available modules and their models. */
  describe(installed: readonly InstalledModel[] = []): ModuleDescription[] {
    return this.modules.map((module) => ({
      id: module.id,
      aliases: module.aliases,
      result_module: module.resultName,
      media: module.media,
      arguments: z.toJSONSchema(module.args, { io: 'input', unrepresentable: 'any' }),
      models: modelsFor(module, installed).map((model) => ({
        name: model.name,
        version: model.version,
        is_default: model.isDefault,
      })),
      models_not_installed: (module.slots ?? []).filter(({ name }) => installed.every((model) => model.name !== name)),
    }));
  }
}

/**
 * Resolves the models of a checked module (throws MODEL_NOT_INSTALLED) and puts the first one's name into the
 * arguments, so that the job shows it; ids and versions (`team@2`, `team@latest`) become names too. `versions` has the
 * numbers, by name, of models given with a version or by the digest of one.
 */
export function chooseModels(
  requested: RequestedModule,
  installed: readonly InstalledModel[],
): { names: string[]; versions: Map<string, number>; args: Record<string, Json> } {
  const own = modelsFor(requested.definition, installed);
  const given = new Set([requested.args['model'], requested.args['models']].flat());
  const versions = new Map(own.flatMap(({ name, version, digest }) => (given.has(digest) ? [[name, version]] : [])));
  const args = withNames(requested, installed, versions);
  const names = requested.definition.models(args, own);
  const [first] = names;
  for (const name of names) {
    const version = versionBeside(name, versions, own);
    if (version !== null) versions.set(name, version);
  }
  const unnamed = args['model'] === undefined && args['models'] === undefined;
  return { names, versions, args: first !== undefined && unnamed ? { ...args, model: first } : args };
}

/**
 * Resolves the version of a companion model, named like its network with a suffix, such as `vit-decoder`: the same
 * version as the network's, where it exists. Null for a model that was given itself, or has no such network.
 */
function versionBeside(
  name: string,
  versions: ReadonlyMap<string, number>,
  installed: readonly InstalledModel[],
): number | null {
  if (versions.has(name)) return null;
  // `vit-large-decoder` belongs to `vit-large`, even if there is a `vit`.
  const [nearest] = [...versions]
    .filter(([given]) => name.startsWith(`${given}-`))
    .sort(([one], [other]) => other.length - one.length);
  const version = nearest?.[1];
  const isThere = ({ kind, name: of, version: number }: InstalledModel): boolean =>
    kind === 'network' && of === name && number === version;
  return installed.some(isThere) ? (version ?? null) : null;
}

/** Replaces ids by names in the arguments `model` and `models`; notes requested versions. */
function withNames(
  { definition, args }: RequestedModule,
  installed: readonly InstalledModel[],
  versions: Map<string, number>,
): Record<string, Json> {
  const { model, models } = args;
  const nameOf = (given: Json, ...place: PropertyKey[]): Json => {
    const [text = '', tag, ...more] = String(given).split('@');
    const named = installed.filter(({ id, name }) => name === text || id === text.toLowerCase());
    const name = named[0]?.name;
    // An invalid model name is left for the module to refuse, with a list of valid ones.
    if (name === undefined || more.length > 0) return given;
    if (tag !== undefined) {
      const version = versionOf(named, tag);
      if (version === null || (versions.get(name) ?? version) !== version) {
        throw noSuchVersion(named, {
          text: String(given),
          other: version,
          pointer: pointerTo('modules', definition.id, ...place),
        });
      }
      versions.set(name, version);
    }
    return name;
  };
  return {
    ...args,
    ...(model === undefined ? {} : { model: nameOf(model, 'model') }),
    ...(Array.isArray(models) ? { models: models.map((given, at) => nameOf(given, 'models', at)) } : {}),
  };
}

/** Returns the number behind a name's `@`; null when there is no such version. */
function versionOf(named: readonly InstalledModel[], tag: string): number | null {
  const numbers = named.map(({ version }) => version);
  if (tag === 'latest') return Math.max(...numbers);
  return numbers.find((number) => String(number) === tag) ?? null;
}

function noSuchVersion(
  named: readonly InstalledModel[],
  { text, other, pointer }: { text: string; other: number | null; pointer: string },
): AditError {
  const numbers = named.map(({ version }) => version).sort((a, b) => a - b);
  const message =
    other === null
      ? `${text} is not installed: versions are ${numbers.join(', ')}, and latest.`
      : `${text}: a module takes one version of a model.`;
  return new AditError('MODEL_NOT_INSTALLED', message, { errors: [{ pointer, code: 'model_not_installed', message }] });
}

/** Returns the models that name the module, or the one whose models it shares. */
function modelsFor({ id, sharesModelsOf }: ModuleDefinition, installed: readonly InstalledModel[]): InstalledModel[] {
  return installed.filter(
    ({ modules }) => modules.includes(id) || (sharesModelsOf !== undefined && modules.includes(sharesModelsOf)),
  );
}

function checked({ name, file, definition }: Found<ModuleDefinition>): ModuleDefinition {
  if (definition === undefined || typeof definition.open !== 'function') {
    throw new Error(`${file} must export a module as its default: export default defineModule({…}).`);
  }
  if (definition.id !== name) throw new Error(`${file} defines ${definition.id}; the folder must have the same name.`);
  return definition;
}
