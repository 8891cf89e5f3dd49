import { elementAt } from '@adit/contracts';
import type { RecognisedWord } from '@adit/analyses/speech/observations';
import type { LabelDictionaries } from '@adit/dictionaries';

/** A word without the punctuation around it. */
const WORD = /^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}]*)$/su;

/**
 * Spells words by the dictionaries: pairs before single words, in each dictionary's comparison mode. Punctuation stays.
 * A pair that becomes one word has the time of both.
 */
export function spelled(
  words: readonly RecognisedWord[],
  dictionaries: LabelDictionaries,
  language: string,
): RecognisedWord[] {
  if (dictionaries.isEmpty) return [...words];
  const out: RecognisedWord[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = elementAt(words, i);
    const next = words[i + 1];
    const pair = next && next.parted ? respelled(`${word.text} ${next.text}`, dictionaries, language) : null;
    if (next && pair !== null) {
      const probability = Math.min(word.probability, next.probability);
      out.push({ ...word, text: pair, end: next.end, probability });
      i++;
      continue;
    }
    out.push({ ...word, text: respelled(word.text, dictionaries, language) ?? word.text });
  }
  return out;
}

/** Null where no dictionary has it. */
function respelled(text: string, dictionaries: LabelDictionaries, language: string): string | null {
  const [, before = '', core = '', after = ''] = WORD.exec(text) ?? [];
  if (core === '') return null;
  // A list gives spellings, a map replacements; other words stay.
  const wanted = dictionaries.apply(core, language);
  return wanted === null || wanted === core ? null : `${before}${wanted}${after}`;
}
