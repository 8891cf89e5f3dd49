/** What became of doing one thing many times. */
export interface Outcome {
  done: number;
  /** What did not work, with its reason, in order. */
  failed: { at: number; error: unknown }[];
}

/** Does something for each, `atOnce` at a time, and goes on where one fails. `tell` is told how many are over. */
export async function forEach<T>(
  items: readonly T[],
  act: (item: T, at: number) => Promise<void>,
  { atOnce = 4, tell = () => undefined }: { atOnce?: number; tell?: (over: number) => void } = {},
): Promise<Outcome> {
  const outcome: Outcome = { done: 0, failed: [] };
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at];
      if (item === undefined) continue;
      try {
        await act(item, at);
        outcome.done += 1;
      } catch (error) {
        outcome.failed.push({ at, error });
      }
      tell(outcome.done + outcome.failed.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  outcome.failed.sort((a, b) => a.at - b.at);
  return outcome;
}
