import { afterEach, expect, it, jest } from '@jest/globals';
import { Progress } from './progress.js';

afterEach(() => void jest.useRealTimers());

function piped() {
  const lines: string[] = [];
  const out = { isTTY: false, write: (line: string) => lines.push(line) } as unknown as NodeJS.WriteStream;
  return { progress: new Progress(out), lines };
}

it('progress without a terminal is reported when a thing begins and when it is done, once each', () => {
  const { progress, lines } = piped();
  for (let share = 0; share <= 1; share += 0.01) progress.show('faces', share);
  progress.show('faces', 1);
  progress.show('faces', 1);
  expect(lines).toEqual(['faces: begun\n', 'faces: done\n']);
});

it('shows that long work is still alive', () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  const { progress, lines } = piped();
  progress.show('speech', 0.01);
  jest.advanceTimersByTime(29_000);
  progress.show('speech', 0.2);
  jest.advanceTimersByTime(2_000);
  progress.show('speech', 0.21);
  expect(lines).toEqual(['speech: begun\n', 'speech: 21 %\n']);
});
