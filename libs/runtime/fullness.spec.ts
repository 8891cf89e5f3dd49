import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Fullness } from './fullness.js';
import { gauge, metricsPage } from './prometheus.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const shown = async () => /^adit_spec_full (\d)$/m.exec((await metricsPage()).body)?.[1];

it('tells that a server is full for a minute after it last said so', async () => {
  const fullness = new Fullness((collect) => gauge('adit_spec_full', 'Of a spec', [], collect));
  fullness.check();
  expect(await shown()).toBe('0');
  fullness.refused(new Error('no room'));
  expect(() => fullness.check()).toThrow('no room');
  expect(await shown()).toBe('1');
  jest.advanceTimersByTime(59_000);
  fullness.refused(new Error('no room'));
  jest.advanceTimersByTime(59_000);
  expect(() => fullness.check()).toThrow('no room');
  jest.advanceTimersByTime(2_000);
  fullness.check();
  expect(await shown()).toBe('0');
});
