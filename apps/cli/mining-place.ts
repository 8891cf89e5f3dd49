import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { AditClient, type StorageEntry, type Upload } from '@adit/client';
import { commandLineKey } from './command-line-key.js';
import { cliSettings } from './settings.js';
import { uploadProgress } from './upload-progress.js';

/** Bytes from which on a file is sent so that a broken connection is no end of it. */
const LARGE = 8 << 20;

/** An engine to mine on: one that is started for this command, or one that runs somewhere. */
export interface MiningPlace {
  client: AditClient;
  /** Sources as this engine can open them, in the order given. */
  sourcesOf(given: string[], signal: AbortSignal): Promise<string[]>;
  /** What was given for a source of the results. */
  nameOf(source: string): string;
  close(): Promise<void>;
}

interface LocalOptions {
  dataDir: string | undefined;
  /** Folders that the engine may read. */
  localRoots: string[];
  /** Says on stderr what goes on. */
  live: boolean;
}

/** The whole engine in this process, over the data folder. */
export async function engineHere({ dataDir: given, localRoots, live }: LocalOptions): Promise<MiningPlace> {
  const { dataDir } = cliSettings(given);
  const apiKey = await commandLineKey(dataDir);
  if (live) process.stderr.write('Starting the engine …');
  // Only who starts an engine loads it.
  const { startEngine } = await import('@adit/standalone');
  const engine = await startEngine({ dataDir, port: 0, host: '127.0.0.1', localRoots, quiet: true, apiKey }).finally(
    () => live && process.stderr.write('\r\x1b[K'),
  );
  return {
    client: new AditClient({ url: engine.url, apiKey }),
    sourcesOf: async (sources) => sources,
    nameOf: (source) => source,
    close: () => engine.close(),
  };
}

/** A broken connection costs no more than what was on its way; an interruption leaves nothing behind. */
async function uploadLarge(client: AditClient, file: Blob, options: Upload): Promise<StorageEntry> {
  let begun: number | undefined;
  try {
    return await client.storage.uploadResumably(file, { ...options, onBegun: (id) => (begun = id) });
  } catch (error) {
    // Nobody could go on with it: the next command has a folder of its own.
    if (begun !== undefined) await client.storage.abandon(begun).catch(() => undefined);
    throw error;
  }
}

/** An engine that runs at `url`: files of this machine are uploaded to a folder of their own, and stay there. */
export function engineAt(url: string, apiKey: string, live: boolean): MiningPlace {
  const client = new AditClient({ url, apiKey });
  const folder = `/mine/${new Date().toISOString().replace(/[:.]/g, '-')}-${randomBytes(3).toString('hex')}`;
  const names = new Map<string, string>();
  const upload = async (path: string, index: number, signal: AbortSignal): Promise<string> => {
    const file = await openAsBlob(path);
    const options = {
      folder: `${folder}/${index}`,
      name: basename(path),
      signal,
      ...(live && { onProgress: uploadProgress(basename(path), process.stderr) }),
    };
    const { url: source } =
      file.size < LARGE ? await client.storage.upload(file, options) : await uploadLarge(client, file, options);
    if (source === null) throw new Error(`${path} was uploaded and has no address.`);
    names.set(source, path);
    return source;
  };
  return {
    client,
    async sourcesOf(given, signal) {
      const sources = [];
      for (const [index, source] of given.entries()) {
        const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(source);
        sources.push(isAddress ? source : await upload(source, names.size + index, signal));
      }
      return sources;
    },
    nameOf: (source) => names.get(source) ?? source,
    close: async () => undefined,
  };
}
