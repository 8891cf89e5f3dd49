import { AditError, errorCode, isRecord } from '@adit/contracts';
import { diskFault } from '@adit/runtime';

const FORBIDDEN: Record<string, string> = {
  EROFS: 'the file system is read-only',
  EACCES: 'this user may not read and write there',
  EPERM: 'this user may not read and write there',
};

/** Says what the machine lacks as UNAVAILABLE, so that the work is tried again; other errors pass, and those that are not its own. */
export async function named<T>(work: () => Promise<T>, isForeign?: (error: unknown) => boolean): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof AditError || code === undefined || isForeign?.(error) === true) throw error;
    const path = isRecord(error) && typeof error['path'] === 'string' ? error['path'] : undefined;
    if (code === 'ELOOP')
      throw new AditError('SOURCE_REFUSED', `A symbolic link lies in the object store at ${path}. Remove it.`);
    const cause = diskFault(error) ?? FORBIDDEN[code];
    if (cause === undefined) throw error;
    throw new AditError('UNAVAILABLE', `The object store cannot be used: ${cause}${path ? ` (${path})` : ''}.`, {
      cause: error,
    });
  }
}
