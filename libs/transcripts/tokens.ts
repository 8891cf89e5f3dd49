/** A word as it is written, punctuation with it. */
export interface Token {
  text: string;
  /** Place in the text, in UTF-16 units. */
  from: number;
  to: number;
  /** In code points, which is what lines are measured in. */
  length: number;
  /** No blank parts it from the one before. */
  glued: boolean;
}

/** Scripts that put no blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** The words of a text in order. Together with the blanks between them they are the whole of it. */
export function tokensOf(text: string): Token[] {
  return [...text.matchAll(/\S+/gu)].flatMap(({ 0: run, index }) => {
    if (!UNSPACED.test(run))
      return { text: run, from: index, to: index + run.length, length: lengthOf(run), glued: false };
    let from = index;
    return wordsOf(run).map((word, at) => {
      const token = { text: word, from, to: from + word.length, length: lengthOf(word), glued: at > 0 };
      from = token.to;
      return token;
    });
  });
}

/** Punctuation stays with the word before it, or with the first. */
function wordsOf(run: string): string[] {
  const words: string[] = [];
  let seenWord = false;
  for (const { segment, isWordLike } of segmenter.segment(run)) {
    const last = words.at(-1);
    if (last === undefined || (isWordLike === true && seenWord)) words.push(segment);
    else words[words.length - 1] = last + segment;
    seenWord ||= isWordLike === true;
  }
  return words;
}

function lengthOf(text: string): number {
  return [...text].length;
}
