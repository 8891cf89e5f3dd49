/** Letters with a stroke and similar ones, which have no base letter in Unicode. */
const STROKED = new Map(
  Object.entries({ ł: 'l', ø: 'o', đ: 'd', ħ: 'h', ı: 'i', ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ð: 'd' }),
);

/** Folds a name for comparison: without case, accents and kinds of apostrophes, which are misread most. */
export function foldName(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[łøđħıßæœþð]/gu, (letter) => STROKED.get(letter) ?? letter)
    .replace(/[’‘`´]/gu, "'")
    .replace(/\s+/gu, ' ')
    .trim();
}
