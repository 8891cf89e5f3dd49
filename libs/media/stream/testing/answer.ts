import { buffer } from 'node:stream/consumers';
import { AditError } from '@adit/contracts';
import type { LiveOptions, OpenLive } from '../live-run.js';

/** The only private address that may be reached, also by the name `public.test`; all other names lead to 127.0.0.1. */
export const ALLOWED = '127.0.0.9';

/** Reads a stream to its end. Returns `read`, or the code of what it failed with. */
export async function answerOf(open: OpenLive, uri: string, more: Partial<LiveOptions> = {}): Promise<string> {
  const options: LiveOptions = {
    localRoots: [],
    allowHttp: true,
    allowPrivateAddresses: [`${ALLOWED}/32`],
    idleTimeoutSeconds: 2,
    signal: new AbortController().signal,
    resolveHost: (name) => Promise.resolve([{ address: name === 'public.test' ? ALLOWED : '127.0.0.1', family: 4 }]),
    ...more,
  };
  try {
    for await (const { body } of open(uri, options)) await buffer(body);
    return 'read';
  } catch (error) {
    return error instanceof AditError ? error.code : String(error);
  }
}
