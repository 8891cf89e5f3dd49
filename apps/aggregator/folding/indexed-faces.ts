import { nullIfGone, zip, type ModelPin, type PictureRef } from '@adit/contracts';
import { JobAnalysisEntity, type JobEntity } from '@adit/database';
import { NeighbourSearches, UnknownFaces } from '@adit/indexes';
import type { IdentityClaim, Segment } from '@adit/module-kit';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AGGREGATOR_SETTINGS, type AggregatorSettings } from '../settings.js';

/** Adds unknown faces to index collections. */
@Injectable()
export class FaceIndexing {
  constructor(
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(NeighbourSearches) private readonly searches: NeighbourSearches,
    @Inject(AGGREGATOR_SETTINGS) private readonly settings: Pick<AggregatorSettings, 'maxIdentities'>,
  ) {}

  /** Reads the pictures of new identities, by key, before the transaction, which blocks others. */
  async read(segments: readonly Segment[]): Promise<Map<string, Buffer>> {
    const pictures = new Map<string, Buffer>();
    for (const { claim, thumbnail } of segments) {
      if (claim?.network === undefined || thumbnail === null || pictures.has(thumbnail.key)) continue;
      const jpeg = await this.objects.read(thumbnail.key).catch(nullIfGone);
      if (jpeg !== null) pictures.set(thumbnail.key, jpeg);
    }
    return pictures;
  }

  /** Opens the collections for one transaction. */
  of(
    manager: EntityManager,
    { id, workspaceId }: Pick<JobEntity, 'id' | 'workspaceId'>,
    pictures: ReadonlyMap<string, Buffer>,
  ): IndexedFaces {
    const { maxIdentities } = this.settings;
    return new IndexedFaces(
      manager,
      id,
      pictures,
      new UnknownFaces(manager, workspaceId, this.searches, maxIdentities),
    );
  }
}

export class IndexedFaces {
  private pins: Promise<ModelPin[]> | null = null;

  constructor(
    private readonly manager: EntityManager,
    private readonly jobId: string,
    private readonly pictures: ReadonlyMap<string, Buffer>,
    private readonly unknownFaces: UnknownFaces,
  ) {}

  /** Identifies different people in the collection of their claims; null for those that cannot be added. */
  async identifyApart(
    claims: readonly { claim: IdentityClaim; thumbnail: PictureRef | null }[],
  ): Promise<(string | null)[]> {
    const networks = await (this.pins ??= this.networks());
    const unknownFaces = claims.flatMap(({ claim, thumbnail }, at) => {
      const network = networks.find(({ name }) => name === claim.network);
      if (network === undefined) return [];
      const jpeg = thumbnail === null ? undefined : this.pictures.get(thumbnail.key);
      const picture = thumbnail === null || jpeg === undefined ? null : { ...thumbnail, jpeg };
      return [{ at, unknownFace: { ...claim, network, picture } }];
    });
    const found = await this.unknownFaces.identifyApart(unknownFaces.map(({ unknownFace }) => unknownFace));
    const ids = new Map(Array.from(zip(unknownFaces, found), ([{ at }, id]): [number, string | null] => [at, id]));
    return claims.map((_, at) => ids.get(at) ?? null);
  }

  /** Writes the changed collections; returns a sentence for the job for each that is full. */
  flush(): Promise<string[]> {
    return this.unknownFaces.flush();
  }

  /** Analysis of the job that found the face. */
  private async networks(): Promise<ModelPin[]> {
    const analyses = await this.manager.findBy(JobAnalysisEntity, { jobId: this.jobId });
    return analyses.flatMap(({ models }) => models);
  }
}
