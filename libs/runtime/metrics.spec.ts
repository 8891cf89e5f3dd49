import { expect, it } from '@jest/globals';
import { collectProcessMetrics, counter, gauge, histogram, metricsPage } from './metrics.js';

it('gives the same metric for the same name, and refuses another kind of it', async () => {
  counter('adit_test_things_total', 'Things.', ['kind']).inc({ kind: 'a' });
  counter('adit_test_things_total', 'Things.', ['kind']).inc({ kind: 'a' }, 2);
  expect((await metricsPage()).body).toContain('adit_test_things_total{kind="a"} 3');
  expect(() => gauge('adit_test_things_total', 'Things.')).toThrow(TypeError);
});

it('asks a collecting gauge when the page is read', async () => {
  let level = 1;
  gauge('adit_test_level', 'Level.', [], (it) => it.set(level));
  level = 5;
  const { body, contentType } = await metricsPage();
  expect(body).toContain('adit_test_level 5');
  expect(contentType).toContain('text/plain');
});

it('measures seconds in buckets that fit a photo and a chunk', async () => {
  histogram('adit_test_seconds', 'Time.').observe(0.03);
  const { body } = await metricsPage();
  expect(body).toContain('adit_test_seconds_bucket{le="0.02"} 0');
  expect(body).toContain('adit_test_seconds_bucket{le="0.05"} 1');
});

it('adds the process’s own metrics once', async () => {
  collectProcessMetrics();
  collectProcessMetrics();
  expect((await metricsPage()).body).toContain('process_resident_memory_bytes');
});
