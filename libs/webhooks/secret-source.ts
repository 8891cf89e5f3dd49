import type { AttemptRecord } from './delivery-store.js';

/** Knows the secrets of one kind of signer, looked up when an attempt is made, so that a renewed one counts at once. */
export interface SecretSource {
  /** As in `NewDelivery.kind`. */
  kind: string;
  /** Those that are valid at `now`, by signer, newest first; a signer that is left out exists no more. */
  secretsOf(signers: string[], now: Date): Promise<Map<string, string[]>>;
  /** Learns how attempts for its signers ended; told again when it throws. */
  attempted?(records: AttemptRecord[]): Promise<void>;
}
