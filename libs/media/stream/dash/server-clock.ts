import { AditError } from '@adit/contracts';
import type { WebAnswer } from '../../fetch/web-client.js';
import { resolved, type Manifest } from './manifest.js';
import { dateOf } from './values.js';

/** Headers have whole seconds, so that a smaller difference says nothing. */
const HEADER_SECONDS = 2;
const MAX_CLOCKS = 8;
export const MAX_TIME_BYTES = 1024;

/** What is asked over the network. */
export interface ClockClient {
  /** The body of a small document, and its headers. */
  ask(url: URL): Promise<{ text: string; headers: WebAnswer['headers'] }>;
}

/**
 * Milliseconds by which the server's clock is ahead of ours: as the manifest says (UTCTiming: direct, http-iso,
 * http-xsdate, http-head), else by the date of the answer that brought it.
 */
export async function clockAhead(
  manifest: Manifest,
  { base, headers, receivedAt }: { base: URL; headers: WebAnswer['headers']; receivedAt: number },
  client: ClockClient,
): Promise<number> {
  for (const { scheme, value } of manifest.clocks.slice(0, MAX_CLOCKS)) {
    const [, kind] = /^urn:mpeg:dash:utc:(direct|http-iso|http-xsdate|http-head):20\d\d$/.exec(scheme) ?? [];
    if (kind === undefined) continue;
    if (kind === 'direct') {
      const time = dateOf(value);
      if (time !== null) return time * 1000 - receivedAt;
      continue;
    }
    const [address] = value.trim().split(/\s+/, 1);
    if (address === undefined || address === '') continue;
    const asked = Date.now();
    const answer = await client.ask(resolved(address, base)).catch(unlessOurs);
    if (answer === null) continue;
    const stated = kind === 'http-head' ? headerTime(answer.headers) : dateOf(answer.text);
    if (stated !== null) return stated * 1000 - (asked + Date.now()) / 2;
  }
  const stated = headerTime(headers);
  if (stated === null) return 0;
  const ahead = stated * 1000 + 500 - receivedAt;
  return Math.abs(ahead) > HEADER_SECONDS * 1000 ? ahead : 0;
}

/** A clock that cannot be asked is left for the next one. */
function unlessOurs(error: unknown): null {
  if (error instanceof AditError) return null;
  throw error;
}

function headerTime({ date }: WebAnswer['headers']): number | null {
  const time = date === undefined ? NaN : Date.parse(date);
  return Number.isNaN(time) ? null : time / 1000;
}
