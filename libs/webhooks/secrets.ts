/** For how long a secret that was replaced goes on signing beside the new one, in milliseconds: 24 hours. */
export const FORMER_SECRET_MILLISECONDS = 24 * 3_600_000;

/** Secrets that sign at `now`, newest first. */
export function validSecrets(
  secret: string,
  former: { secret: string | null; until: Date | null },
  now: Date,
): string[] {
  return former.secret !== null && former.until !== null && former.until > now ? [secret, former.secret] : [secret];
}
