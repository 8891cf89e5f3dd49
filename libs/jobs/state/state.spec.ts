import { AditError, isTerminal } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { allModulesEnded, transition, type JobSignal, type JobStates } from './state.js';

const start = (...modules: string[]): JobStates => ({
  job: 'waiting',
  modules: Object.fromEntries(modules.map((module) => [module, 'waiting'])),
});

const signals = fc.oneof(
  fc.constantFrom<JobSignal>(
    { kind: 'opened' },
    { kind: 'failed' },
    { kind: 'finished' },
    { kind: 'stop' },
    { kind: 'retry' },
  ),
  fc.constantFrom('a', 'b').map((module): JobSignal => ({ kind: 'module-completed', module })),
  fc.constantFrom('a', 'b').map((module): JobSignal => ({ kind: 'module-failed', module })),
);

/** Applies allowed signals, as a server that answers 409 to the rest. */
function apply(states: JobStates, signal: JobSignal): JobStates {
  try {
    return transition(states, signal);
  } catch (error) {
    if (error instanceof AditError && error.code === 'CONFLICT') return states;
    throw error;
  }
}

describe('the job state machine', () => {
  it('goes from waiting through processing to completed', () => {
    let states = transition(start('a', 'b'), { kind: 'opened' });
    expect(states).toEqual({ job: 'processing', modules: { a: 'processing', b: 'processing' } });
    states = transition(states, { kind: 'module-completed', module: 'a' });
    expect(transition(states, { kind: 'finished' }).job).toBe('processing');
    states = transition(states, { kind: 'module-failed', module: 'b' });
    expect(transition(states, { kind: 'finished' }).job).toBe('completed');
  });

  it('is failed when every module failed', () => {
    let states = transition(start('a'), { kind: 'opened' });
    states = transition(states, { kind: 'module-failed', module: 'a' });
    expect(transition(states, { kind: 'finished' }).job).toBe('failed');
  });

  it('retries failed and stopped modules only', () => {
    let states = transition(start('a', 'b'), { kind: 'opened' });
    states = transition(states, { kind: 'module-completed', module: 'a' });
    states = transition(states, { kind: 'stop' });
    expect(states).toEqual({ job: 'stopped', modules: { a: 'completed', b: 'stopped' } });
    expect(transition(states, { kind: 'retry' })).toEqual({
      job: 'waiting',
      modules: { a: 'completed', b: 'waiting' },
    });
  });

  it('retries a job that was stopped between the end of its last module and its own', () => {
    let states = transition(start('a'), { kind: 'opened' });
    states = transition(states, { kind: 'module-completed', module: 'a' });
    states = transition(states, { kind: 'stop' });
    expect(states).toEqual({ job: 'stopped', modules: { a: 'completed' } });
    states = transition(states, { kind: 'retry' });
    expect(states).toEqual({ job: 'waiting', modules: { a: 'completed' } });
    expect(transition(states, { kind: 'finished' })).toEqual({ job: 'completed', modules: { a: 'completed' } });
  });

  it('refuses to stop an ended job and to retry a running or successful one', () => {
    const completed: JobStates = { job: 'completed', modules: { a: 'completed' } };
    expect(() => transition(completed, { kind: 'stop' })).toThrow('already completed');
    expect(() => transition(completed, { kind: 'retry' })).toThrow('nothing to retry');
    expect(() => transition(start('a'), { kind: 'retry' })).toThrow('still waiting');
  });

  it('leaves a terminal state only by a retry, and never has a terminal job with a running module', () => {
    fc.assert(
      fc.property(fc.array(signals, { maxLength: 30 }), (sequence) => {
        let states = start('a', 'b');
        for (const signal of sequence) {
          const next = apply(states, signal);
          if (isTerminal(states.job) && !isTerminal(next.job)) expect(signal.kind).toBe('retry');
          if (isTerminal(next.job)) expect(allModulesEnded(next)).toBe(true);
          if (next.job === 'failed') expect(Object.values(next.modules)).toContain('failed');
          states = next;
        }
      }),
    );
  });

  it('accepts every signal but stop and retry twice without harm', () => {
    fc.assert(
      fc.property(fc.array(signals, { maxLength: 30 }), (sequence) => {
        let states = start('a', 'b');
        for (const signal of sequence) {
          states = apply(states, signal);
          if (signal.kind !== 'stop' && signal.kind !== 'retry') expect(apply(states, signal)).toEqual(states);
        }
      }),
    );
  });
});
