import { AditError, isTerminal, type JobState } from '@adit/contracts';
import { endOf } from './terminal-states.js';

/** States of a job and of its modules, by module id. */
export interface JobStates {
  job: JobState;
  modules: Record<string, JobState>;
}

export type JobSignal =
  /** The first source is being opened. */
  | { kind: 'opened' }
  | { kind: 'module-completed'; module: string }
  | { kind: 'module-failed'; module: string }
  /** A module has folded all of a live stream that was stopped. */
  | { kind: 'module-stopped'; module: string }
  /** The job as a whole cannot go on: no source is readable, or it mixes images and video. */
  | { kind: 'failed' }
  /** Every module has ended and the artifacts are written. */
  | { kind: 'finished' }
  | { kind: 'stop' }
  /** A retry runs failed and stopped modules again, and completed ones that missed something. */
  | { kind: 'retry'; incomplete?: readonly string[] };

export function allModulesEnded(states: JobStates): boolean {
  return Object.values(states.modules).every(isTerminal);
}

/**
 * Computes all changes of state. A signal that comes late or twice (the bus delivers at least once) changes nothing.
 * A client's `stop` or `retry` that the state does not allow is a CONFLICT.
 */
export function transition(states: JobStates, signal: JobSignal): JobStates {
  switch (signal.kind) {
    case 'opened':
      if (states.job !== 'waiting') return states;
      return {
        job: 'processing',
        modules: mapModules(states, (state) => (state === 'waiting' ? 'processing' : state)),
      };
    case 'module-completed':
      return endModule(states, signal.module, 'completed');
    case 'module-failed':
      return endModule(states, signal.module, 'failed');
    case 'module-stopped':
      return endModule(states, signal.module, 'stopped');
    case 'failed':
      if (isTerminal(states.job) || allModulesEnded(states)) return states;
      return { job: 'failed', modules: mapModules(states, (state) => (isTerminal(state) ? state : 'failed')) };
    case 'finished':
      if (isTerminal(states.job) || !allModulesEnded(states)) return states;
      return { ...states, job: endOf(Object.values(states.modules)) };
    case 'stop':
      if (isTerminal(states.job)) throw new AditError('CONFLICT', `The job is already ${states.job}.`);
      return { job: 'stopped', modules: mapModules(states, (state) => (isTerminal(state) ? state : 'stopped')) };
    case 'retry':
      return retry(states, signal.incomplete ?? []);
  }
}

function retry(states: JobStates, incomplete: readonly string[]): JobStates {
  if (!isTerminal(states.job)) throw new AditError('CONFLICT', `The job is still ${states.job}; stop it or wait.`);
  const again = (state: JobState, module: string): boolean => state !== 'completed' || incomplete.includes(module);
  // A job that was stopped after its last module has only its end left to do.
  if (states.job !== 'stopped' && !Object.entries(states.modules).some(([module, state]) => again(state, module))) {
    throw new AditError('CONFLICT', 'Every module of the job has analysed every source; there is nothing to retry.');
  }
  return { job: 'waiting', modules: mapModules(states, (state, module) => (again(state, module) ? 'waiting' : state)) };
}

function endModule(states: JobStates, module: string, end: 'completed' | 'failed' | 'stopped'): JobStates {
  const current = states.modules[module];
  if (current === undefined) throw new RangeError(`The job has no module ${module}.`);
  if (isTerminal(current) || isTerminal(states.job)) return states;
  return { ...states, modules: { ...states.modules, [module]: end } };
}

function mapModules(
  states: JobStates,
  change: (state: JobState, module: string) => JobState,
): Record<string, JobState> {
  return Object.fromEntries(Object.entries(states.modules).map(([module, state]) => [module, change(state, module)]));
}
