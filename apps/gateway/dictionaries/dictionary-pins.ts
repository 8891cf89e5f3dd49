import { AditError, type DictionaryPin, type DictionarySpecification, type ErrorDetail, zip } from '@adit/contracts';
import { DictionaryEntity, DictionaryVersionEntity, isUuid } from '@adit/database';
import type { ResolvedModule } from '@adit/jobs';
import { ModuleRegistry, pointerTo } from '@adit/module-kit';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { API_PREFIX } from '../http/api-prefix.js';
import { cut } from '../http/cut.js';
import { visibleTo } from './dictionaries.js';

/** Longer than any id; what else was sent for one is not repeated whole. */
const SHOWN_CHARACTERS = 80;

/** A dictionary that a request names, and where: as a JSON Pointer, and as messages say it. */
interface NamedDictionary {
  id: string;
  pointer: string;
  where: string;
}

/** Writes down which version of each dictionary a job uses, when it is posted. */
@Injectable()
export class DictionaryPins {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(ModuleRegistry) private readonly registry: ModuleRegistry,
  ) {}

  /** Asks the database nothing when no module names one. Throws VALIDATION with a pointer for each unknown id. */
  async pin(workspaceId: string, modules: readonly ResolvedModule[]): Promise<readonly ResolvedModule[]> {
    const named = modules.map((module) => this.namedBy(module));
    const ids = [...new Set(named.flat().map(({ id }) => id))];
    if (ids.length === 0) return modules;
    const pins = await this.read(workspaceId, ids.filter(isUuid));
    const errors: ErrorDetail[] = named
      .flat()
      .flatMap(({ id, pointer, where }) =>
        pins.has(id) ? [] : [{ pointer, code: 'unknown_dictionary', message: `${where}: ${unknown(id)}` }],
      );
    if (errors.length > 0) {
      throw new AditError('VALIDATION', errors.map(({ message }) => message).join(' '), { errors });
    }
    return Array.from(zip(modules, named), ([module, own]) => ({
      ...module,
      dictionaries: [...new Set(own.map(({ id }) => id))].flatMap((id) => pins.get(id) ?? []),
    }));
  }

  private namedBy({ moduleId, postedAs, args }: ResolvedModule): NamedDictionary[] {
    // Every module's schema extends StandardArguments, which has parsed them.
    const standard = (args['dictionaries'] ?? []) as DictionarySpecification[];
    const own = this.registry.get(moduleId).dictionaryIds?.(args) ?? [];
    return [...standard.map(({ id }, at) => ({ id, path: ['dictionaries', at, 'id'] })), ...own].map(
      ({ id, path }) => ({
        id,
        pointer: pointerTo('modules', postedAs, ...path),
        where: [postedAs, ...path].join('.'),
      }),
    );
  }

  private async read(workspaceId: string, ids: string[]): Promise<Map<string, DictionaryPin>> {
    const pins = new Map<string, DictionaryPin>();
    if (ids.length === 0) return pins;
    const rows = await this.db.manager.find(DictionaryEntity, { where: visibleTo(workspaceId, ids) });
    const versions = await this.db.manager.findBy(
      DictionaryVersionEntity,
      rows.map(({ id: dictionaryId, version }) => ({ dictionaryId, version })),
    );
    for (const { id, version, name, type, language } of rows) {
      const file = versions.find((one) => one.dictionaryId === id && one.version === version);
      if (file === undefined) continue;
      pins.set(id, { id, version, name, type, language, digest: file.digest, objectKey: file.objectKey });
    }
    // Ids are compared as text: a client may write a UUID in capitals.
    for (const id of ids) {
      const pin = pins.get(id.toLowerCase());
      if (pin !== undefined && !pins.has(id)) pins.set(id, { ...pin, id });
    }
    return pins;
  }
}

function unknown(id: string): string {
  const found = `GET ${API_PREFIX}/v1/dictionaries/ lists those that this workspace may use.`;
  return `There is no dictionary ${JSON.stringify(cut(id, SHOWN_CHARACTERS))}; ${found}`;
}
