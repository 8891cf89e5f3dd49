import type { ResolveHost } from '@adit/net';
import { copyToPrivateFile, tooLarge, type CopyLimits, type FetchedSource } from './private-file.js';
import { brief, type SourcePolicy } from './source-uri.js';
import { checkStatus, discard, WebClient, type WebAnswer } from './web-client.js';

export interface WebOptions extends SourcePolicy {
  /** Replaces the system's resolver. */
  resolveHost?: ResolveHost;
}

interface Download {
  /** Address for errors. */
  shown: URL;
  headers?: Record<string, string>;
  followsRedirects?: boolean;
  /** Throws unless the answer is the file; `name` is for its error. */
  check(name: string, answer: WebAnswer): void | Promise<void>;
}

/** Downloads a file over http(s), as `WebClient` makes requests. */
export function fetchWeb(start: URL, policy: WebOptions, limits: CopyLimits): Promise<FetchedSource> {
  return download(start, policy, limits, { shown: start, check: (_, { url, status }) => checkStatus(url, status) });
}

/** Downloads the answer to one request. */
export async function download(
  start: URL,
  policy: WebOptions,
  limits: CopyLimits,
  { shown, headers, followsRedirects, check }: Download,
): Promise<FetchedSource> {
  const { timeoutSeconds, idleTimeoutSeconds, signal } = limits;
  const at = Date.now() + timeoutSeconds * 1000;
  const { resolveHost } = policy;
  const client = new WebClient({ policy, idleTimeoutSeconds, signal, resolveHost });
  try {
    const deadline = { at, totalSeconds: timeoutSeconds };
    const answer = await client.get(start, { headers, deadline, followsRedirects });
    try {
      await check(brief(shown.href), answer);
      const announced = Number(answer.headers['content-length'] ?? NaN);
      if (announced > limits.maxBytes) throw tooLarge(limits.maxBytes);
    } catch (error) {
      discard(answer.body);
      throw error;
    }
    return await copyToPrivateFile(answer.body, limits, at);
  } catch (error) {
    throw client.explained(shown, error);
  } finally {
    client.close();
  }
}
