import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { AditError, errorCode } from '@adit/contracts';

/** Makes the data folder where there is none yet. Throws VALIDATION, in a sentence, where it cannot be written to. */
export async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    // It may be another user's.
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = errorCode(error) ?? '';
    const reason = WHY[code] ?? `the system says ${code}`;
    const message = `The data folder ${dataDir} cannot be used: ${reason}. Choose another one (--data-dir, ADIT_DATA_DIR).`;
    throw new AditError('VALIDATION', message, { cause: error });
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
