import { elementAt } from '@adit/contracts';
import type { FloatTensor } from '@adit/inference';

/** A recognised character with the probability of its steps, 0..1. */
export interface Letter {
  character: string;
  likelihood: number;
}

/**
 * Decodes a network trained with CTC greedily: the best output of each step, repetitions joined, separators dropped
 * (Graves et al., "Connectionist Temporal Classification", ICML 2006). `steps` is T×C, probabilities; `labels` is the
 * text of each output, '' for none. A letter has the probability of its surest step, or, as in PaddleOCR, of its first
 * one.
 */
export function greedyReading(
  steps: FloatTensor,
  labels: readonly string[],
  separator: number,
  likely: 'surest' | 'first' = 'surest',
): Letter[] {
  const [count = 0, outputs] = steps.dims;
  if (outputs !== labels.length) throw new RangeError(`${outputs} outputs, but ${labels.length} labels.`);
  const letters: Letter[] = [];
  let before = separator;
  for (let step = 0; step < count; step++) {
    let best = 0;
    let likelihood = elementAt(steps.data, step * outputs);
    for (let output = 1, at = step * outputs; output < outputs; output++) {
      // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- read for each of thousands of outputs at each step
      const value = steps.data[at + output]!;
      if (value > likelihood) [best, likelihood] = [output, value];
    }
    const character = elementAt(labels, best);
    const last = letters.at(-1);
    if (best !== separator && character !== '') {
      if (best !== before || !last) letters.push({ character, likelihood });
      else if (likely === 'surest') last.likelihood = Math.max(last.likelihood, likelihood);
    }
    before = best;
  }
  return letters;
}

export function textOf(letters: readonly Letter[]): string {
  return letters.map(({ character }) => character).join('');
}

/** Mean probability of the letters, 0..1; 0 for none. */
export function confidenceOf(letters: readonly Letter[]): number {
  return letters.length === 0 ? 0 : letters.reduce((sum, { likelihood }) => sum + likelihood, 0) / letters.length;
}
