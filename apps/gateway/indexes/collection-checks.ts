import { AditError, nullIfGone, type ErrorDetail } from '@adit/contracts';
import { IndexCollections } from '@adit/indexes';
import type { ResolvedModule } from '@adit/jobs';
import { ModuleRegistry, pointerTo } from '@adit/module-kit';
import { Inject, Injectable } from '@nestjs/common';

/** Tells whether a job can put people into the index collections that it names. */
@Injectable()
export class CollectionChecks {
  constructor(
    @Inject(ModuleRegistry) private readonly registry: ModuleRegistry,
    @Inject(IndexCollections) private readonly collections: IndexCollections,
  ) {}

  /** Asks the database nothing when no module names one. Throws VALIDATION with a pointer to each that cannot be used. */
  async check(workspaceId: string, modules: readonly ResolvedModule[]): Promise<void> {
    const errors: ErrorDetail[] = [];
    for (const { moduleId, postedAs, args, analyses } of modules) {
      const wanted = this.registry.get(moduleId).collection?.(args) ?? null;
      if (wanted === null) continue;
      const pins = analyses.flatMap(({ models }) => models);
      const problem = await this.problemOf(
        workspaceId,
        wanted.name,
        pins.find(({ name }) => name === wanted.network),
      );
      const pointer = pointerTo('modules', postedAs, ...wanted.path);
      if (problem !== null) errors.push({ pointer, ...problem });
    }
    if (errors.length > 0)
      throw new AditError('VALIDATION', errors.map(({ message }) => message).join(' '), { errors });
  }

  /** Why faces that `network` embedded cannot be compared with a collection; null when they can. */
  async problemOf(workspaceId: string, name: string, network: { name: string; digest: string } | undefined) {
    const collection = await this.collections.get(workspaceId, name).catch(nullIfGone);
    if (collection === null) {
      const message = `There is no index collection ${name}; POST /v1/index-collection/ makes one.`;
      return { code: 'unknown_collection', message };
    }
    const { embeddingName, embeddingDigest } = collection;
    if (embeddingDigest === null || embeddingDigest === network?.digest) return null;
    const own = `${embeddingName ?? ''} (${embeddingDigest.slice(0, 12)})`;
    const ours = network === undefined ? 'none' : `${network.name} (${network.digest.slice(0, 12)})`;
    return {
      code: 'other_embedding',
      message: `The index collection ${name} holds embeddings of ${own}, and faces are embedded by ${ours} here: name another collection.`,
    };
  }
}
