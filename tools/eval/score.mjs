// Agreement of results with labels. Pure functions.

/** Intersection over union of two [x, y, w, h]. */
export function overlap(a, b) {
  const w = Math.min(a[0] + a[2], b[0] + b[2]) - Math.max(a[0], b[0]);
  const h = Math.min(a[1] + a[3], b[1] + b[3]) - Math.max(a[1], b[1]);
  const common = w > 0 && h > 0 ? w * h : 0;
  return common / (a[2] * a[3] + b[2] * b[3] - common);
}

/** Gives every labelled box its best found one, nobody twice: {found, missed, extra, hits}, `hits` whether each label was found. */
export function matchBoxes(labelled, found, atLeast = 0.4) {
  const pairs = labelled
    .flatMap((label, i) => found.map((box, j) => ({ i, j, common: overlap(label, box) })))
    .filter(({ common }) => common >= atLeast)
    .sort((a, b) => b.common - a.common);
  const usedLabels = new Set();
  const usedBoxes = new Map();
  for (const { i, j } of pairs) {
    if (usedLabels.has(i) || usedBoxes.has(j)) continue;
    usedLabels.add(i);
    usedBoxes.set(j, i);
  }
  const hits = labelled.map((_, i) => usedLabels.has(i));
  return {
    found: usedLabels.size,
    missed: labelled.length - usedLabels.size,
    extra: found.length - usedBoxes.size,
    hits,
  };
}

export function distance(a, b) {
  return Math.sqrt(a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0));
}

/** Numbers of sampled times with and without the person that the person's segments cover. */
export function coverage(sampled, shown, segments) {
  const within = (time, intervals) => intervals.some(([from, to]) => time >= from - 1e-6 && time <= to + 1e-6);
  let present = 0;
  let hits = 0;
  let wrong = 0;
  for (const time of sampled) {
    const seen = within(time, segments);
    if (within(time, shown)) {
      present++;
      if (seen) hits++;
    } else if (seen) wrong++;
  }
  return { present, hits, wrong };
}

/**
 * Goes through what was said, the surest first ({label, box, confidence}), and gives each the best labelled thing
 * ({label, box}) of its label that is still free: [{confidence, ok}].
 */
export function matchRanked(labelled, said, atLeast = 0.4) {
  const free = new Set(labelled);
  return [...said]
    .sort((a, b) => b.confidence - a.confidence)
    .map(({ label, box, confidence }) => {
      const [best] = [...free]
        .filter((one) => one.label === label && overlap(one.box, box) >= atLeast)
        .sort((a, b) => overlap(b.box, box) - overlap(a.box, box));
      free.delete(best);
      return { confidence, ok: best !== undefined };
    });
}

/** Mean, over all labelled things, of the share that was right down to each one's rank; what is not found counts 0. */
export function averagePrecision(said, total) {
  let right = 0;
  let sum = 0;
  for (const [rank, { ok }] of [...said].sort((a, b) => b.confidence - a.confidence).entries()) {
    if (ok) sum += ++right / (rank + 1);
  }
  return total === 0 ? 0 : sum / total;
}

/** Purity of clusters, [[cluster, kind]]: the share of items of their cluster's most frequent kind. */
export function purityOf(assigned) {
  const kinds = new Map();
  for (const [cluster, kind] of assigned) {
    const own = kinds.get(cluster) ?? new Map();
    kinds.set(cluster, own.set(kind, (own.get(kind) ?? 0) + 1));
  }
  return [...kinds.values()].reduce((sum, own) => sum + Math.max(...own.values()), 0);
}

const DIGITS = {
  de: ['null', 'eins', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun'],
  en: ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'],
  es: ['cero', 'uno', 'dos', 'tres', 'cuatro', 'cinco', 'seis', 'siete', 'ocho', 'nueve'],
  fr: ['zéro', 'un', 'deux', 'trois', 'quatre', 'cinq', 'six', 'sept', 'huit', 'neuf'],
};

/** The words of a text as they are said: small letters, without punctuation, single digits as words. */
export function spokenWords(text, language = 'en') {
  // The Spanish text that comes with recordings has no accents.
  const plain = language === 'es' ? text.normalize('NFD').replace(/\p{M}/gu, '') : text;
  return plain
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (/^\d$/.test(word) ? DIGITS[language][Number(word)] : word));
}

/** Edit distance of two texts in words: replaced, removed or added ones. */
export function wordErrors(reference, hypothesis, language = 'en') {
  const [from, to] = [spokenWords(reference, language), spokenWords(hypothesis, language)];
  let row = to.map((_, i) => i + 1);
  for (const [i, word] of from.entries()) {
    let diagonal = i;
    let left = i + 1;
    row = row.map((above, j) => {
      const least = Math.min(diagonal + (to[j] === word ? 0 : 1), above + 1, left + 1);
      diagonal = above;
      left = least;
      return least;
    });
  }
  return to.length === 0 ? from.length : row.at(-1);
}

/** The 95 % interval [low, high] of a share, 0..1 (Wilson, 1927). */
export function wilson(right, all) {
  if (all === 0) return [0, 1];
  const z = 1.96;
  const share = right / all;
  const middle = share + z ** 2 / (2 * all);
  const spread = z * Math.sqrt((share * (1 - share)) / all + z ** 2 / (4 * all ** 2));
  const scale = 1 + z ** 2 / all;
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)];
}

/** One-sided sign test: the chance that `others` (booleans, as `ours`) are right alone so much more often by accident. */
export function signTest(ours, others) {
  const worse = ours.filter((right, i) => !right && others[i]).length;
  const better = ours.filter((right, i) => right && !others[i]).length;
  const all = worse + better;
  let sum = 0;
  let ways = 1;
  for (let k = 0; k <= all; k++) {
    if (k >= worse) sum += ways;
    ways = (ways * (all - k)) / (k + 1);
  }
  return sum / 2 ** all;
}

/**
 * Share of the words' time that has the right speaker, of words ({start, end, speaker}) within the turn of one person
 * ({start, end, speaker}). Each person is matched with the found speaker that fits best, no two with the same one. Returns
 * {share, seconds, found}. Up to six people.
 */
export function speakerShare(turns, words) {
  const together = new Map();
  let seconds = 0;
  for (const { start, end, speaker } of words) {
    const middle = (start + end) / 2;
    const people = new Set(
      turns.filter((turn) => turn.start <= middle && middle < turn.end).map((turn) => turn.speaker),
    );
    if (people.size !== 1) continue;
    const [person] = people;
    const own = together.get(person) ?? new Map();
    own.set(speaker, (own.get(speaker) ?? 0) + end - start);
    together.set(person, own);
    seconds += end - start;
  }
  const found = new Set(words.map(({ speaker }) => speaker).filter((speaker) => speaker !== null));
  const best = ([person, ...others], taken) => {
    if (person === undefined) return 0;
    // Nobody suits a person, too: fewer may be found than there are.
    const without = best(others, taken);
    const options = [...together.get(person)]
      .filter(([speaker]) => speaker !== null && !taken.includes(speaker))
      .map(([speaker, time]) => time + best(others, [...taken, speaker]));
    return Math.max(without, ...options);
  };
  return { share: seconds === 0 ? 0 : best([...together.keys()], []) / seconds, seconds, found: found.size };
}
