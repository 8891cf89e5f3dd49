import type { EntityManager } from 'typeorm';

/** As much of a collection as a search needs. */
export interface SearchedCollection {
  id: string;
  /** Of its embeddings. */
  dimensions: number;
  /** Identities in it. */
  size: number;
  /** Of its last change, and of the last by which something went. */
  revision: string;
  shrunk: string;
}

export interface Neighbour {
  indexId: string;
  /** Euclidean, 0..2, of embeddings of length 1. */
  distance: number;
}

/** One collection within one transaction, which holds its row where it changes what is in it. */
export interface Neighbourhood {
  /** Who searches it. */
  readonly by: 'memory' | 'pgvector';
  /** The nearest identities, nearest first: all of those that are asked for, or nearly, as the driver says of itself. */
  nearest(embedding: readonly number[], limit: number): Promise<Neighbour[]>;
  /** Told of what this transaction has written to the table. */
  moved(indexId: string, centroid: readonly number[]): void;
}

/** Finds the identities that look most like a face. A driver reads `index_identities` and nothing else. */
export interface NeighbourSearch {
  /** What `adit doctor` and the log call it. */
  readonly name: string;
  /**
   * Before a collection is held by who may add to it: takes the time that it takes to overlook nobody, while others do not wait.
   * Who only looks for somebody opens it at once.
   */
  prepare(manager: EntityManager, collection: SearchedCollection): Promise<void>;
  open(manager: EntityManager, collection: SearchedCollection): Promise<Neighbourhood>;
}
