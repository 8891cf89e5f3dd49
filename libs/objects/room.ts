import { AditError, errorCode } from '@adit/contracts';
import { Fullness } from '@adit/runtime';
import { ServerFailure } from './minio-refusals.js';

const OUT_OF_ROOM = new Set(['ENOSPC', 'EDQUOT']);

/** Whether `error` says that the object store takes no more, because its disk or its quota is used up. */
export function isStoreFull(error: unknown): boolean {
  if (!(error instanceof AditError) || error.code !== 'UNAVAILABLE') return false;
  const { cause } = error;
  return cause instanceof ServerFailure ? cause.isFull : OUT_OF_ROOM.has(errorCode(cause) ?? '');
}

/** Whether a store has room, as its puts find out. */
export class Room {
  private readonly fullness = new Fullness(
    'adit_object_store_full',
    'Whether the object store refused something within the last minute because it is full',
  );

  /** Runs a put. */
  async taking<T>(put: () => Promise<T>): Promise<T> {
    try {
      return await put();
    } catch (error) {
      if (error instanceof AditError && isStoreFull(error)) this.fullness.refused(error);
      throw error;
    }
  }

  /** Throws UNAVAILABLE while the store is full. */
  check(): void {
    this.fullness.check();
  }
}
