import type { EntityManager } from 'typeorm';

/** Properties of a collection that a search needs. */
export interface SearchedCollection {
  id: string;
  /** Length of its embeddings. */
  dimensions: number;
  /** Number of identities. */
  size: number;
  /** Revision of its last change, and of its last removal. */
  revision: string;
  shrunk: string;
}

export interface Neighbour {
  indexId: string;
  /** Euclidean, 0..2, of embeddings of length 1. */
  distance: number;
}

/** One collection within one transaction, which locks its row when it changes the content. */
export interface Neighbourhood {
  /** Search in use. */
  readonly by: 'memory' | 'pgvector';
  /** Returns the nearest identities, nearest first; complete, or nearly so, as each driver documents. */
  nearest(embedding: readonly number[], limit: number): Promise<Neighbour[]>;
  /** Notifies the search of a write by this transaction. */
  moved(indexId: string, centroid: readonly number[]): void;
}

/** Finds the identities most similar to a face. A driver reads only `index_identities`. */
export interface NeighbourSearch {
  /** Name in `adit doctor` and in the log. */
  readonly name: string;
  /**
   * Call before locking a collection to add to it: takes the time to be complete, without blocking others. Mere
   * searches open it directly.
   */
  prepare(manager: EntityManager, collection: SearchedCollection): Promise<void>;
  open(manager: EntityManager, collection: SearchedCollection): Promise<Neighbourhood>;
}
