/**
 * For `jest.useFakeTimers({ now, doNotFake: [...CLOCK_ALONE] })`: the process has another idea of what time it is, and everything else
 * goes on, as in a pod whose clock is off.
 */
export const CLOCK_ALONE = [
  ...(['hrtime', 'performance', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];
