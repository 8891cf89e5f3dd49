import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AditApiError, AditClient, AditConnectionError } from '@adit/client';
import { AditError } from '@adit/contracts';
import { isRunning, ProcessIdentity, thisProcess } from '@adit/runtime';
import { z } from 'zod';

const FILE = 'serving.json';
const Serving = z.object({ url: z.url(), process: ProcessIdentity });
type Serving = z.infer<typeof Serving>;

/** Leaves word in a data folder of where its engine serves, for commands that come meanwhile. Answers how to take it back. */
export async function announceServing(dataDir: string, url: string): Promise<() => Promise<void>> {
  const path = join(dataDir, FILE);
  await writeFile(path, JSON.stringify({ url, process: thisProcess() } satisfies Serving), { mode: 0o600 });
  return () => rm(path, { force: true });
}

/**
 * Returns the address of the engine that serves a data folder; null when none does. Throws VALIDATION when it does not
 * know the key.
 */
export async function servingUrl(dataDir: string, apiKey: string): Promise<string | null> {
  const url = await announcedUrl(dataDir);
  if (url === null) return null;
  try {
    await new AditClient({ url, apiKey, retries: 0 }).request('GET /v1/modules/');
    return url;
  } catch (error) {
    // It is about to end.
    if (error instanceof AditConnectionError) return null;
    if (!(error instanceof AditApiError) || error.status !== 401) throw error;
    throw new AditError(
      'VALIDATION',
      `The data folder ${dataDir} is served by an engine at ${url}: set ADIT_API_KEY to one of its keys.`,
      { cause: error },
    );
  }
}

/** Null unless the process that left word is still there: anybody may listen at the address of one that was killed, and would be sent the key. */
async function announcedUrl(dataDir: string): Promise<string | null> {
  try {
    const serving = Serving.parse(JSON.parse(await readFile(join(dataDir, FILE), 'utf8')));
    return isRunning(serving.process) === true ? serving.url : null;
  } catch {
    // There is none, this user may not read it, or power was lost while it was written.
    return null;
  }
}
