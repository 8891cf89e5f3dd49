/** Runs of characters of code table 00 of EBU Tech 3264 (ISO 6937) from a code on; blanks are places that nothing is at. */
const RUNS: readonly [first: number, characters: string][] = [
  [0xa1, '¡¢£$¥ §¤‘“«←↑→↓'],
  [0xb0, '°±²³×µ¶·÷’”»¼½¾¿'],
  [0xd0, '—¹®©™♪¬¦    ⅛⅜⅝⅞'],
  [0xe0, 'ΩÆĐªĦ ĲĿŁØŒºÞŦŊŉ'],
  [0xf0, 'ĸæđðħıĳŀłøœßþŧŋ'],
];

/** Accents, which stand before their letter: the code, the combining character of Unicode, and the letters that take it. */
const ACCENTS: readonly [code: number, mark: string, letters: string][] = [
  [0xc1, '\u0300', 'AEIOUaeiou'],
  [0xc2, '\u0301', 'ACEILNORSUYZaceilnorsuyz'],
  [0xc3, '\u0302', 'ACEGHIJOSUWYaceghijosuwy'],
  [0xc4, '\u0303', 'AINOUainou'],
  [0xc5, '\u0304', 'AEIOUaeiou'],
  [0xc6, '\u0306', 'AGUagu'],
  [0xc7, '\u0307', 'CEGIZcegz'],
  [0xc8, '\u0308', 'AEIOUYaeiouy'],
  [0xca, '\u030a', 'AUau'],
  [0xcb, '\u0327', 'CGKLNRSTcgklnrst'],
  [0xcd, '\u030b', 'OUou'],
  [0xce, '\u0328', 'AEIUaeiu'],
  [0xcf, '\u030c', 'CDELNRSTZcdelnrstz'],
];

/** What people write instead where it is not in the table. */
const INSTEAD = new Map(
  Object.entries({
    ...{ '…': '...', '–': '-', '―': '—', '‐': '-', '‑': '-', '−': '-', '„': '“', '‟': '“', '‚': '‘', '‛': '‘' },
    ...{ '‹': '<', '›': '>', '€': 'EUR', '′': "'", '″': '"', '•': '·', '♫': '♪', '♩': '♪', '♬': '♪', ẞ: 'SS' },
    ...{ ș: 'ş', Ș: 'Ş', ț: 'ţ', Ț: 'Ţ', μ: 'µ', Ð: 'Đ' },
  }),
);

const CODES = codesOf();

function codesOf(): ReadonlyMap<string, readonly number[]> {
  const codes = new Map<string, readonly number[]>();
  for (let code = 0x20; code <= 0x7e; code += 1) codes.set(String.fromCharCode(code), [code]);
  for (const [first, characters] of RUNS)
    for (const [at, character] of [...characters].entries()) if (character !== ' ') codes.set(character, [first + at]);
  for (const [code, mark, letters] of ACCENTS)
    for (const letter of letters) codes.set((letter + mark).normalize('NFC'), [code, letter.charCodeAt(0)]);
  return codes;
}

/** A text of characters of the table alone. */
export interface LatinText {
  text: string;
  /** Number of characters that stand as others, or as none. */
  replaced: number;
  /** Number of those that nothing stands for, each a question mark. */
  unknown: number;
}

/** Returns a text in characters of the table: its own where it has them, else the nearest. Blanks stay blanks. */
export function latinOf(text: string): LatinText {
  const latin: LatinText = { text: '', replaced: 0, unknown: 0 };
  for (const character of text.normalize('NFC')) {
    const same = CODES.has(character) || /[\s\p{Cc}]/u.test(character);
    const shown = same ? character.replace(/[\s\p{Cc}]/u, ' ') : nearest(character);
    latin.text += shown ?? '?';
    if (!same) latin.replaced += 1;
    if (shown === null) latin.unknown += 1;
  }
  return latin;
}

/** Null for a character that nothing stands for. */
function nearest(character: string): string | null {
  const instead = INSTEAD.get(character);
  if (instead !== undefined) return instead;
  if (/[\p{Cf}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]/u.test(character)) return '';
  const plain = character.normalize('NFKD').replace(/\p{M}/gu, '');
  return plain !== '' && [...plain].every((each) => CODES.has(each)) ? plain : null;
}

/** The bytes of a text of the table, those of an accented letter together. */
export function latinBytes(text: string): (readonly number[])[] {
  return [...text].map((character) => CODES.get(character) ?? [0x3f]);
}
