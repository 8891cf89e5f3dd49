/** An event for one receiver, before it is stored. */
export interface NewDelivery {
  /** UUID, as the receiver will see it; a new one when left out. */
  id?: string;
  /** Who asked for it: `job:<id>` or `webhook:<id>`. After a 410 nothing more goes to a subscription. */
  subscription: string;
  /** Names what happened, once per subscription. */
  fact: string;
  /** Which `SecretSource` knows the secret of `signer`. */
  kind: string;
  /** UUID of what owns the secret. */
  signer: string;
  jobId: string | null;
  url: string;
  /** First attempts of one key go out in the order they were stored; null for no order. */
  orderKey: string | null;
  event: string;
  /** Unix seconds with fraction, when it happened. */
  timestamp: number;
  data: Record<string, unknown>;
  /** Identities that `data` may name or show: it is stored while all of them are there, and not behind an erasure. */
  identities?: readonly string[];
  traceparent: string | null;
}

/** Origin (scheme, host and port): addresses of one origin share their health and limits. Throws a TypeError for an invalid address. */
export function receiverOf(url: string): string {
  return new URL(url).origin;
}
