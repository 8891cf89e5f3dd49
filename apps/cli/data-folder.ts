import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { AditError, errorCode } from '@adit/contracts';

/** Makes the data folder where there is none yet. Throws VALIDATION, in a sentence, where it cannot be written to. */
export async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    // What stands there may be a file, or another user's.
    const isFolder = (await stat(dataDir)).isDirectory();
    if (!isFolder) throw unusable(dataDir, 'it is no folder');
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof AditError) throw error;
    const reason = WHY[errorCode(error) ?? ''] ?? `the system says ${errorCode(error) ?? 'no'}`;
    throw unusable(dataDir, reason, error);
  }
}

const WHY: Readonly<Record<string, string>> = {
  EEXIST: 'it is no folder',
  ENOTDIR: 'a part of its path is no folder',
  EACCES: 'this user may not write there',
  EPERM: 'the system does not allow this user to write there',
  EROFS: 'its disk is read-only',
  ENOENT: 'it cannot be made there',
};

function unusable(dataDir: string, reason: string, cause?: unknown): AditError {
  const message = `The data folder ${dataDir} cannot be used: ${reason}. Choose another one (--data-dir, ADIT_DATA_DIR).`;
  return new AditError('VALIDATION', message, { cause });
}
