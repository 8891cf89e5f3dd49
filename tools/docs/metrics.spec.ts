import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { declaredMetrics, METRICS_PAGE, metricsOf, metricsPage } from './metrics.mjs';

describe('metrics', () => {
  it('are on their page as code declares them (npm run docs writes it anew)', () => {
    expect(readFileSync(METRICS_PAGE, 'utf8')).toBe(metricsPage());
  });

  it('are declared in metrics.ts of their package', () => {
    const files = declaredMetrics().map(({ file }) => file);
    expect(files.length).toBeGreaterThan(40);
    expect(files.filter((file) => basename(file) !== 'metrics.ts')).toEqual([]);
  });

  it('have names of their own, which say whose they are', () => {
    const names = declaredMetrics().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^adit_[a-z_]+$/);
  });

  it('are read with their labels and the comment of their declaration', () => {
    const text = `
      /** Beside \`this\`. */
      export const a = counter('adit_a_total', 'Counts a', ['kind', 'state']);
      export const b = (collect: Collect) => gauge('adit_b', 'Tells b.', [], collect);
      export const c = gauge('adit_c', 'Tells c.');`;
    expect(metricsOf('libs/x/metrics.ts', text)).toMatchObject([
      { kind: 'counter', name: 'adit_a_total', help: 'Counts a', labels: ['kind', 'state'], note: 'Beside `this`.' },
      { kind: 'gauge', name: 'adit_b', help: 'Tells b.', labels: [], note: '' },
      { kind: 'gauge', name: 'adit_c', labels: [] },
    ]);
  });
});
