/**
 * Folds text for comparison: compatibility forms, case and runs of white space make no difference (after Unicode's
 * NFKC_Casefold; lower and upper case first, so that ẞ, ß and ss, ς and σ agree). Idempotent.
 */
export function foldText(text: string): string {
  const upper = text.normalize('NFKC').toLowerCase().toUpperCase();
  return upper.toLowerCase().replaceAll('ς', 'σ').normalize('NFKC').replace(/\s+/gu, ' ').trim();
}
