import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The API key of the command line itself: made once, kept in the data folder where only its owner can read it. */
export async function commandLineKey(dataDir: string): Promise<string> {
  return (await keptKey(dataDir)).key;
}

/** The same with its file, and whether it was made now. */
export async function keptKey(dataDir: string): Promise<{ key: string; path: string; isNew: boolean }> {
  const path = join(dataDir, 'command-line-key');
  const kept = await readFile(path, 'utf8').catch(() => null);
  if (kept !== null) return { key: kept, path, isNew: false };
  const key = `adit_${randomBytes(32).toString('base64url')}`;
  await writeFile(path, key, { mode: 0o600 });
  return { key, path, isNew: true };
}
