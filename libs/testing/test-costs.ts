/** Costs of suites before they test anything. */
export type TestCost = 'engines' | 'databases' | 'media' | 'servers';

/** Seconds by kind, of this process; tools/testing/suite.cjs takes them for the table of times. */
const costs = ((globalThis as Record<symbol, unknown>)[Symbol.for('adit.test-costs')] ??= {}) as Partial<
  Record<TestCost, number>
>;

/** Does `work` and counts its seconds. Work within work counts for both. */
export async function spending<T>(kind: TestCost, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work();
  } finally {
    costs[kind] = (costs[kind] ?? 0) + (performance.now() - began) / 1000;
  }
}
