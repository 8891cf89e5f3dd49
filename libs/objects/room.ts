import { AditError } from '@adit/contracts';
import { Fullness, isOutOfRoom } from '@adit/runtime';
import { objectStoreFull } from './metrics.js';
import { ServerFailure } from './minio/minio-refusals.js';

/** Whether `error` says that the object store takes no more, because its disk or its quota is used up. */
export function isStoreFull(error: unknown): error is AditError {
  if (!(error instanceof AditError) || error.code !== 'UNAVAILABLE') return false;
  const { cause } = error;
  return cause instanceof ServerFailure ? cause.isFull : isOutOfRoom(cause);
}

/** Whether a store has room, as its puts find out. */
export class Room {
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
