import {
  AditError,
  elementAt,
  SAME_FACE_DISTANCE,
  type FaceSearchOptions,
  type IndexedIdentity,
  type PictureFace,
  type SearchedFace,
} from '@adit/contracts';
import { inTransaction, type InferredSegment } from '@adit/database';
import { collectionOf, NeighbourSearches, shownIdentities } from '@adit/indexes';
import type { ResolvedAnalysis } from '@adit/jobs';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { z } from 'zod';
import { CollectionChecks } from '../indexes/collection-checks.js';

/** The network whose embeddings the observations of faces hold. */
export const NETWORK = 'face-embedding';
/** Distance of a face that is compared with nobody. */
const MAX_DISTANCE = 2;
/** Identities that were merged are one person: so many are asked for, for each that is shown. */
const MERGED = 4;

/** A face of a picture. */
export interface SeenFace {
  /** Among those that the analysis wrote down. */
  place: number;
  face: PictureFace;
  /** Vector of length 1; null for a face too small to be compared. */
  embedding: Float32Array | null;
}

/** Fields that face_recognition reports for a face of a picture. */
const Recognised = z.object({
  person: z.string(),
  class_id: z.string().nullable(),
  closest_person: z.string().nullable().optional(),
  similarity: z.number(),
  distance: z.number(),
  top_k: z.array(
    z.object({ person: z.string(), class_id: z.string().nullable(), similarity: z.number(), distance: z.number() }),
  ),
});

/** Who faces are, by a gallery or by an index collection. */
@Injectable()
export class SearchedPeople {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(NeighbourSearches) private readonly searches: NeighbourSearches,
    @Inject(CollectionChecks) private readonly checks: CollectionChecks,
  ) {}

  /** Throws VALIDATION with a pointer when faces as the analysis embeds them cannot be looked for in the collection. */
  async checkCollection(workspaceId: string, name: string, { models }: ResolvedAnalysis): Promise<void> {
    const network = models.find((model) => model.name === NETWORK);
    const problem = await this.checks.problemOf(workspaceId, name, network);
    if (problem === null) return;
    throw new AditError('VALIDATION', problem.message, { errors: [{ pointer: '/collection', ...problem }] });
  }

  /** One segment for each face, in the order in which the analysis wrote them down. */
  inGallery(seen: readonly SeenFace[], segments: readonly InferredSegment[]): SearchedFace[] {
    return seen.map(({ place, face }) => {
      const { top_k, ...found } = Recognised.parse(elementAt(segments, place).meta);
      const nearest = top_k.map((person) => ({ ...person, indexed_identity: null }));
      return { ...face, ...found, indexed_identity: null, top_k: nearest };
    });
  }

  async inCollection(
    workspaceId: string,
    name: string,
    seen: readonly SeenFace[],
    options: Pick<FaceSearchOptions, 'top_k' | 'max_distance'>,
  ): Promise<SearchedFace[]> {
    return inTransaction(this.db, async (manager) => {
      const nearest = await this.nearestIn(manager, workspaceId, name, options.top_k);
      const faces: SearchedFace[] = [];
      for (const { face, embedding } of seen) {
        faces.push({
          ...face,
          ...found(embedding === null ? [] : await nearest(embedding), options.max_distance ?? SAME_FACE_DISTANCE),
        });
      }
      return faces;
    });
  }

  /** People by distance, the nearest first; nobody in a collection that is empty. */
  private async nearestIn(manager: EntityManager, workspaceId: string, name: string, count: number) {
    const { dimensions, ...collection } = await collectionOf(manager, workspaceId, name);
    if (dimensions === null) return () => Promise.resolve([]);
    const search = await this.searches.of(manager);
    const around = await search.open(manager, { ...collection, dimensions });
    return async (embedding: Float32Array): Promise<Neighbour[]> => {
      const found = await around.nearest([...embedding], count * MERGED);
      const ids = found.map(({ indexId }) => indexId);
      const shown = await shownIdentities(manager, workspaceId, ids);
      const people = new Map<string, Neighbour>();
      for (const { indexId, distance } of found) {
        const identity = shown.get(indexId);
        if (identity !== undefined && !people.has(identity.index_id))
          people.set(identity.index_id, { identity, distance });
      }
      return [...people.values()].slice(0, count);
    };
  }
}

interface Neighbour {
  identity: IndexedIdentity;
  distance: number;
}

function found(nearest: readonly Neighbour[], maxDistance: number): Omit<SearchedFace, keyof PictureFace> {
  const [first] = nearest;
  const known = first !== undefined && first.distance <= maxDistance ? first.identity : null;
  return {
    person: labelOf(known) ?? 'unknown',
    class_id: null,
    ...(known === null && { closest_person: labelOf(first?.identity ?? null) }),
    indexed_identity: known,
    ...nearness(first?.distance ?? MAX_DISTANCE),
    top_k: nearest.map(({ identity, distance }) => ({
      ...{ person: labelOf(identity) ?? 'unknown', class_id: null },
      // The nearest one's picture is shown once.
      indexed_identity: { ...identity, thumbnail: null },
      ...nearness(distance),
    })),
  };
}

function labelOf(identity: IndexedIdentity | null): string | null {
  return identity === null || identity.label === '' ? null : identity.label;
}

/** Converts a distance like the results do: similarity is the cosine, never below 0. */
export function nearness(distance: number): { similarity: number; distance: number } {
  return { similarity: rounded(Math.max(0, 1 - (distance * distance) / 2)), distance: rounded(distance) };
}

/** Rounds a number like the results. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
