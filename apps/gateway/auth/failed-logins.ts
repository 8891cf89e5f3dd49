import { hash } from 'node:crypto';
import { AditError, dropOldest } from '@adit/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { networkOf } from './network-of.js';
import { TokenBucket } from './token-bucket.js';

const WINDOW_SECONDS = 60;
/** Addresses and credentials that are remembered. */
const MAX_ENTRIES = 10_000;

/**
 * Slows down whoever tries credentials that are wrong: an address may fail so often a minute, then it is told to wait and
 * nothing is looked up. Credentials that were right here before pass all the same, so that a neighbour behind the same
 * address is not locked out. In this process's memory, as the other limits are.
 */
@Injectable()
export class FailedLogins {
  private readonly buckets = new Map<string, TokenBucket>();
  private readonly good = new Set<string>();

  constructor(@Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'failedLoginsPerMinute'>) {}

  /** Throws RATE_LIMITED when the address has failed too often and the credential is not known to be good. */
  check(address: string, credential: string): void {
    const bucket = this.buckets.get(networkOf(address));
    if (bucket === undefined || bucket.has(performance.now()) || this.good.has(digest(credential))) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(bucket.secondsUntil(1, performance.now())));
    throw new AditError(
      'RATE_LIMITED',
      `Too many wrong credentials came from this address; try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    );
  }

  failed(address: string): void {
    const { failedLoginsPerMinute: most } = this.config;
    if (most === 0) return;
    const network = networkOf(address);
    const now = performance.now();
    let bucket = this.buckets.get(network);
    if (bucket === undefined) {
      if (this.buckets.size >= MAX_ENTRIES) this.forgetQuiet(now);
      bucket = new TokenBucket(most, WINDOW_SECONDS, now);
      this.buckets.set(network, bucket);
    }
    if (bucket.has(now)) bucket.take(now);
  }

  /** Gives back what `failed` took. */
  forgiven(address: string): void {
    this.buckets.get(networkOf(address))?.giveBack();
  }

  succeeded(credential: string): void {
    const known = digest(credential);
    this.good.add(known);
    dropOldest(this.good, MAX_ENTRIES);
  }

  /** Forgets clients that have not failed for a minute, or all clients if there are still too many. */
  private forgetQuiet(now: number): void {
    for (const [network, bucket] of this.buckets) if (bucket.isFull(now)) this.buckets.delete(network);
    if (this.buckets.size >= MAX_ENTRIES) this.buckets.clear();
  }
}

function digest(credential: string): string {
  return hash('sha256', credential, 'base64');
}
