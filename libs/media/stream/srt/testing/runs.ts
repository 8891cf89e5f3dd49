import type { LiveOptions, LiveRun } from '../../live-run.js';
import { openSrt } from '../open-srt.js';

export function options(more: Partial<LiveOptions> = {}): LiveOptions {
  return {
    ...{ localRoots: [], allowHttp: false, allowPrivateAddresses: ['127.0.0.1/32'] },
    ...{ signal: new AbortController().signal, idleTimeoutSeconds: 5, ...more },
  };
}

export async function firstRun(uri: string, more?: Partial<LiveOptions>): Promise<LiveRun> {
  const { value } = await openSrt(uri, options(more)).next();
  if (value === undefined) throw new Error('There was no run.');
  return value as LiveRun;
}

/** Everything that arrives until the stream ends, and the error that it ends with. */
export async function readAll({ body }: LiveRun): Promise<{ bytes: Buffer; error: unknown }> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of body) pieces.push(piece as Buffer);
    return { bytes: Buffer.concat(pieces), error: null };
  } catch (error) {
    return { bytes: Buffer.concat(pieces), error };
  }
}
