/** An identity in one interval of a source or one of its pictures, frames from and to, as one module saw it. */
export interface Shown {
  number: number;
  moduleId: string;
  sourceIndex: number;
  frameStart: number;
  frameEnd: number;
}

/**
 * Tells identities apart that are surely two: shown in one frame of a source by one module, or named by one summary
 * (`summaries` lists the numbers of each).
 */
export function apartIn(
  shown: readonly Shown[],
  summaries: readonly number[][],
): (one: number, other: number) => boolean {
  const apart = new Map<number, Set<number>>();
  const part = (one: number, other: number) => {
    if (one === other) return;
    const [low, high] = one < other ? [one, other] : [other, one];
    const those = apart.get(low);
    if (those === undefined) apart.set(low, new Set([high]));
    else those.add(high);
  };
  for (const numbers of summaries)
    for (const [at, one] of numbers.entries()) for (const other of numbers.slice(0, at)) part(one, other);
  const inOrder = [...shown].sort((a, b) => a.frameStart - b.frameStart);
  const open = new Map<string, Shown[]>();
  for (const one of inOrder) {
    const account = `${one.sourceIndex} ${one.moduleId}`;
    const beside = (open.get(account) ?? []).filter(({ frameEnd }) => frameEnd >= one.frameStart);
    for (const { number } of beside) part(one.number, number);
    open.set(account, [...beside, one]);
  }
  return (one, other) => apart.get(Math.min(one, other))?.has(Math.max(one, other)) ?? false;
}
