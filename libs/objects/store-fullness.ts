import { AditError } from '@adit/contracts';
import { Fullness, isDiskFull } from '@adit/runtime';
import { objectStoreFull } from './metrics.js';
import { ServerFailure } from './minio/minio-refusals.js';

/** Tells whether `error` says that the object store takes no more, because its disk or its quota is used up. */
export function isStoreFull(error: unknown): error is AditError {
  if (!(error instanceof AditError) || error.code !== 'UNAVAILABLE') return false;
  const { cause } = error;
  return cause instanceof ServerFailure ? cause.isFull : isDiskFull(cause);
}

/** Knows from its puts whether the store is full. */
export class StoreFullness {
  private readonly fullness = new Fullness(objectStoreFull);

  /** Runs a put. */
  async taking<T>(put: () => Promise<T>): Promise<T> {
    try {
      return await put();
    } catch (error) {
      if (isStoreFull(error)) this.fullness.refused(error);
      throw error;
    }
  }

  /** Throws UNAVAILABLE while the store is full. */
  check(): void {
    this.fullness.check();
  }
}
