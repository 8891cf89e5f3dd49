import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { AditClient } from '@adit/client';
import { AditError, errorCode } from '@adit/contracts';
import { EMBEDDED_DATABASE, startPgliteAhead } from '@adit/database/pglite-start';
import { BaseConfig, compileLater, loadConfig } from '@adit/runtime';
import { commandLineKey } from './command-line-key.js';
import { makeDataFolder } from './data-folder.js';
import type { EngineOptions } from './engine-options.js';
import { servingUrl } from './serving.js';
import { uploadFile } from './upload-file.js';

const STARTING = 'Starting the engine …';
const CLEARED = '\r\x1b[K';

/** An engine to mine on: one that is started for this command, or one that runs somewhere. */
export interface MiningPlace {
  client: AditClient;
  /** It outlives this command. */
  isElsewhere: boolean;
  /** Location of the results afterwards. */
  where: string;
  /** Sources as this engine can open them, in the order given. */
  sourcesOf(given: string[], signal: AbortSignal): Promise<string[]>;
  close(): Promise<void>;
}

interface PlaceOptions extends EngineOptions {
  /** Folders that an engine of this command may read. */
  localRoots: string[];
  /** Says on stderr what goes on. */
  live: boolean;
}

/** The engine that the options name, or one that is started here. Throws VALIDATION without a key for the former. */
export async function placeOf(options: PlaceOptions): Promise<MiningPlace> {
  const { server, live } = options;
  if (server === undefined) return engineHere(options);
  const apiKey = process.env['ADIT_API_KEY'];
  if (apiKey === undefined || apiKey === '') {
    throw new AditError(
      'VALIDATION',
      'Set ADIT_API_KEY to a key of the server; a key on the command line could be read by others. That of an engine on this machine ' +
        'is in the file command-line-key of its data folder.',
    );
  }
  return engineAt(server, apiKey, live);
}

/** The whole engine in this process, over the data folder. */
async function engineHere({ dataDir: given, localRoots, live }: PlaceOptions): Promise<MiningPlace> {
  compileLater();
  const base = loadConfig(BaseConfig);
  const dataDir = resolve(given ?? base.dataDir);
  await makeDataFolder(dataDir);
  const apiKey = await commandLineKey(dataDir);
  if (live) process.stderr.write(STARTING);
  // Both at once; and who speaks to an engine elsewhere does not load what one is made of.
  const isEmbedded = base.databaseDriver === 'pglite';
  const closeUnused = isEmbedded ? startPgliteAhead(join(dataDir, EMBEDDED_DATABASE)) : null;
  let engine;
  try {
    const { startEngine } = await import('@adit/standalone');
    const { placeFetched } = await import('./fetched-models.js');
    await placeFetched(given);
    engine = await startEngine({ dataDir, port: 0, host: '127.0.0.1', localRoots, quiet: true, apiKey });
  } catch (error) {
    // Most likely `adit start` has the folder: what it serves is what this command would.
    const key = process.env['ADIT_API_KEY'] || apiKey;
    const url = errorCode(error) === 'UNAVAILABLE' ? await servingUrl(dataDir, key) : null;
    if (url === null) throw error;
    if (live) process.stderr.write(`${CLEARED}Using the engine that serves ${dataDir} at ${url}.\n`);
    return engineAt(url, key, live);
  } finally {
    await closeUnused?.();
    if (live) process.stderr.write(CLEARED);
  }
  return {
    client: new AditClient({ url: engine.url, apiKey }),
    isElsewhere: false,
    where: `${dataDir}, which \`adit start --data-dir ${dataDir}\` serves`,
    sourcesOf: async (sources) => sources,
    close: () => engine.close(),
  };
}

/** An engine that runs at `url`: files of this machine are uploaded to a folder of their own, and stay there. */
function engineAt(url: string, apiKey: string, live: boolean): MiningPlace {
  const client = new AditClient({ url, apiKey });
  const folder = `/mine/${new Date().toISOString().replace(/[:.]/g, '-')}-${randomBytes(3).toString('hex')}`;
  // A folder for each: files of one name may come from several.
  let uploads = 0;
  const upload = async (path: string, signal: AbortSignal): Promise<string> => {
    const { url: source } = await uploadFile(client, path, { folder: `${folder}/${uploads}`, live, signal });
    uploads += 1;
    return source;
  };
  return {
    client,
    isElsewhere: true,
    where: url,
    async sourcesOf(given, signal) {
      const sources = [];
      for (const source of given) {
        const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(source);
        sources.push(isAddress ? source : await upload(source, signal));
      }
      return sources;
    },
    close: async () => undefined,
  };
}
