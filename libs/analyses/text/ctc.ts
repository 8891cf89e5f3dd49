import type { FloatTensor } from '@adit/inference';

/** A character as read, with the highest likelihood its steps gave it, 0..1. */
export interface Letter {
  character: string;
  likelihood: number;
}

/**
 * The likeliest reading of a network trained with CTC: the best output of each step, repetitions joined, separators
 * dropped (Graves et al., "Connectionist Temporal Classification", ICML 2006). `steps` is T×C, likelihoods; `labels` says
 * what each output means, '' for those that mean nothing.
 */
export function greedyReading(steps: FloatTensor, labels: readonly string[], separator: number): Letter[] {
  const [count, outputs] = steps.dims as [number, number];
  if (outputs !== labels.length) throw new RangeError(`${outputs} outputs, but ${labels.length} labels.`);
  const letters: Letter[] = [];
  let before = separator;
  for (let step = 0; step < count; step++) {
    let best = 0;
    for (let output = 1, at = step * outputs; output < outputs; output++) {
      if (steps.data[at + output]! > steps.data[at + best]!) best = output;
    }
    const likelihood = steps.data[step * outputs + best]!;
    const character = labels[best]!;
    if (best !== separator && character !== '') {
      if (best !== before) letters.push({ character, likelihood });
      else letters.at(-1)!.likelihood = Math.max(letters.at(-1)!.likelihood, likelihood);
    }
    before = best;
  }
  return letters;
}

export function textOf(letters: readonly Letter[]): string {
  return letters.map(({ character }) => character).join('');
}

/** Mean likelihood of the letters, 0..1; 0 for none. */
export function confidenceOf(letters: readonly Letter[]): number {
  return letters.length === 0 ? 0 : letters.reduce((sum, { likelihood }) => sum + likelihood, 0) / letters.length;
}
