import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError, errorCode, nullIfNoFile } from '@adit/contracts';

/** Characters that a key has at least. */
const MIN_LENGTH = 32;

/**
 * Returns the encryption key of a data folder, made at the first call; only the folder's owner may read it. Throws
 * UNAVAILABLE for a file that holds none, as while another process writes it.
 */
export async function ownEncryptionKey(dataDir: string): Promise<string> {
  const file = join(dataDir, 'encryption.key');
  const known = await readFile(file, 'utf8').catch(nullIfNoFile);
  if (known !== null) return checked(known, file);
  const key = randomBytes(32).toString('base64url');
  try {
    await writeFile(file, `${key}\n`, { flag: 'wx', mode: 0o600 });
    return key;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return checked(await readFile(file, 'utf8'), file);
  }
}

function checked(text: string, file: string): string {
  const key = text.trim();
  if (key.length >= MIN_LENGTH) return key;
  throw new AditError('UNAVAILABLE', `${file} holds no key: restore it from a backup, or remove it to have one made.`);
}
