import { useLayoutEffect, useReducer } from 'preact/hooks';
import type { Observable } from '../state/observable.js';

/** Draws the component again whenever one of these has changed. */
export function useObserved(...observables: Observable[]): void {
  const [, again] = useReducer((turn: number) => turn + 1, 0);
  // At once: what changes before the first effect would be missed.
  useLayoutEffect(() => {
    const ends = observables.map((each) => each.observe(() => again(undefined)));
    return () => ends.forEach((end) => end());
  }, observables);
}
