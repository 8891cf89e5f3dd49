import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The API key of the command line itself: made once, kept in the data folder where only its owner can read it. */
export async function commandLineKey(dataDir: string): Promise<string> {
  const file = join(dataDir, 'command-line-key');
  const kept = await readFile(file, 'utf8').catch(() => null);
  if (kept !== null) return kept;
  const key = `adit_${randomBytes(32).toString('base64url')}`;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeFile(file, key, { mode: 0o600 });
  return key;
}
