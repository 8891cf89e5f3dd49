import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { collectBuildInfo } from './build-info.js';
import { collectProcessMetrics, counter, gauge, histogram, metricsPage, secondsBetween } from './prometheus.js';

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

it('keeps the page when a gauge cannot be read, and says nothing of it', async () => {
  let away = false;
  const read = () => {
    if (away) throw new Error('The database is away.');
    return 3;
  };
  gauge('adit_test_waiting', 'Waiting.', ['kind'], (it) => it.set({ kind: 'a' }, read()));
  gauge('adit_test_held', 'Held.', [], async (it) => it.set(await Promise.resolve().then(read)));
  expect((await metricsPage()).body).toContain('adit_test_waiting{kind="a"} 3\n');
  away = true;
  const { body } = await metricsPage();
  expect(body).not.toContain('adit_test_waiting{');
  expect(body).toContain('adit_test_held Nan');
  away = false;
  expect((await metricsPage()).body).toContain('adit_test_held 3');
});

it('measures in buckets that fit what is measured', async () => {
  expect(secondsBetween(0.001, 1)).toEqual([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]);
  expect(secondsBetween(0.05, 600).at(0)).toBe(0.05);
  expect(secondsBetween(0.05, 600).at(-1)).toBe(500);
  histogram('adit_test_seconds', 'Time.', [], secondsBetween(0.01, 10)).observe(0.03);
  const { body } = await metricsPage();
  expect(body).toContain('adit_test_seconds_bucket{le="0.025"} 0');
  expect(body).toContain('adit_test_seconds_bucket{le="0.05"} 1');
});

/** @hardening api: Traces and metrics break OpenTelemetry's conventions */
it('says which build it is', async () => {
  collectBuildInfo('spec');
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect((await metricsPage()).body).toMatch(
    new RegExp(`adit_build_info{version="${version}",service="spec",node="${process.versions.node}"} 1`),
  );
});

/** @hardening overload: Long work holds the event loop */
it('adds the process’s own metrics once', async () => {
  collectProcessMetrics();
  collectProcessMetrics();
  const { body } = await metricsPage();
  expect(body).toContain('process_resident_memory_bytes');
  // The alert AditEventLoopLag reads it.
  expect(body).toMatch(/^nodejs_eventloop_lag_p99_seconds \S+$/m);
});
