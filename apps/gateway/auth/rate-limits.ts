import { AditError, dropOldest } from '@adit/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import type { Caller, Limits } from '../http/caller.js';
import { TokenBucket } from './token-bucket.js';

export const NO_LIMITS_OF_ITS_OWN: Limits = { requestsPerSecond: null, jobsPerDay: null };

/** A key that was quiet may send this many seconds' worth at once. */
const BURST_SECONDS = 10;
const DAY_SECONDS = 86_400;
/** Clients that are remembered; those whose buckets are full are forgotten first, which changes nothing. */
const MAX_ENTRIES = 10_000;

type Kind = 'requests' | 'jobs';

/** The charge of a request; `headers` tell the client its remaining budget. */
export interface Charge {
  headers: Record<string, string>;
  /** RATE_LIMITED when there was nothing left to charge. */
  refusal: AditError | null;
  /** Gives back the jobs that were not made after all. */
  refund(): void;
}

/**
 * Limits of requests and jobs by client (`Caller.countedAs`), in token buckets in this process's memory: nothing is asked of the database, each
 * gateway counts for itself, and a new process begins with full buckets.
 */
@Injectable()
export class RateLimits {
  private readonly buckets = new Map<string, TokenBucket>();
  private now: () => number = () => performance.now();

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'requestsPerSecond' | 'jobsPerDay'>,
  ) {}

  /** Sets a clock of milliseconds, for the specs. */
  withClock(now: () => number): this {
    this.now = now;
    return this;
  }

  /** Null when nothing limits the caller. A request that is refused is charged nothing. */
  charge(caller: Caller, makesJob: boolean): Charge | null {
    return this.take(caller, { requests: 1, jobs: makesJob ? 1 : 0 });
  }

  /** Jobs of a request that was charged before it could be known that it makes any: all of them or none. */
  chargeJobs(caller: Caller, count: number): Charge | null {
    return this.take(caller, { requests: 0, jobs: count });
  }

  private take(caller: Caller, counts: Record<Kind, number>): Charge | null {
    const requests = this.bucket(caller, 'requests');
    const jobs = counts.jobs > 0 ? this.bucket(caller, 'jobs') : null;
    const asked = [
      { bucket: requests, count: counts.requests },
      { bucket: jobs, count: counts.jobs },
    ].filter((each): each is Asked => each.bucket !== null);
    if (asked.length === 0) return null;
    const now = this.now();
    const short = asked.find(({ bucket, count }) => !bucket.has(now, count)) ?? null;
    if (short === null) for (const { bucket, count } of asked) bucket.take(now, count);
    return {
      headers: headersOf(requests, jobs, short?.bucket ?? null, now),
      refusal: short === null ? null : refusal(short, now),
      refund: () => jobs?.giveBack(counts.jobs),
    };
  }

  private bucket(caller: Caller, kind: Kind): TokenBucket | null {
    const limit =
      kind === 'requests'
        ? (caller.limits.requestsPerSecond ?? this.config.requestsPerSecond)
        : (caller.limits.jobsPerDay ?? this.config.jobsPerDay);
    if (limit === 0) return null;
    const capacity = kind === 'requests' ? limit * BURST_SECONDS : limit;
    const id = `${kind} ${caller.countedAs}`;
    const known = this.buckets.get(id);
    // A changed limit begins with a full bucket.
    if (known?.capacity === capacity) return known;
    const now = this.now();
    if (this.buckets.size >= MAX_ENTRIES) {
      for (const [other, bucket] of this.buckets) if (bucket.isFull(now)) this.buckets.delete(other);
      dropOldest(this.buckets, MAX_ENTRIES - 1);
    }
    const bucket = new TokenBucket(capacity, kind === 'requests' ? BURST_SECONDS : DAY_SECONDS, now);
    this.buckets.set(id, bucket);
    return bucket;
  }
}

interface Asked {
  bucket: TokenBucket;
  count: number;
}

function refusal({ bucket, count }: Asked, now: number): AditError {
  const retryAfterSeconds = Math.max(1, Math.ceil(bucket.secondsUntil(count, now)));
  const what =
    bucket.window === DAY_SECONDS
      ? `${bucket.capacity} jobs a day`
      : `${bucket.capacity / bucket.window} requests a second`;
  const these = count === 1 ? '' : `, ${bucket.left(now)} now, and these are ${count}`;
  const detail = `This key may send ${what}${these}; try again in ${retryAfterSeconds} s.`;
  return new AditError('RATE_LIMITED', detail, { retryAfterSeconds });
}

/**
 * `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10, and the three fields of its earlier
 * versions, which most clients know, for the bucket that is nearest to its end.
 */
function headersOf(
  requests: TokenBucket | null,
  jobs: TokenBucket | null,
  short: TokenBucket | null,
  now: number,
): Record<string, string> {
  // On the way of every request: each bucket is looked at once.
  const one = requests === null ? null : standingOf('requests', requests, now);
  const other = jobs === null ? null : standingOf('jobs', jobs, now);
  const isOther = other !== null && (one === null || (short === null ? other.share < one.share : short === jobs));
  const nearest = isOther ? other : one;
  if (nearest === null) return {};
  return {
    'ratelimit-policy': listed(one?.policy, other?.policy),
    ratelimit: listed(one?.header, other?.header),
    'ratelimit-limit': nearest.limit,
    'ratelimit-remaining': nearest.remaining,
    'ratelimit-reset': nearest.reset,
  };
}

function standingOf(kind: Kind, bucket: TokenBucket, now: number) {
  const { capacity, window } = bucket;
  const left = bucket.left(now);
  const reset = String(Math.ceil(bucket.secondsUntilFull(now)));
  return {
    policy: `"${kind}";q=${capacity};w=${window}`,
    header: `"${kind}";r=${left};t=${reset}`,
    limit: String(capacity),
    remaining: String(left),
    reset,
    share: left / capacity,
  };
}

function listed(one: string | undefined, other: string | undefined): string {
  return one === undefined ? (other ?? '') : other === undefined ? one : `${one}, ${other}`;
}
