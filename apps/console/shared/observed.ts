import { useLayoutEffect, useReducer } from 'preact/hooks';
import type { Observable } from './observable.js';

/** Redraws the component whenever one of the observables has changed. */
export function useObserved(...observables: Observable[]): void {
  const [, again] = useReducer((count: number) => count + 1, 0);
  // A layout effect: changes before the first passive effect would be missed.
  useLayoutEffect(() => {
    const ends = observables.map((each) => each.observe(() => again(undefined)));
    return () => ends.forEach((end) => end());
  }, observables);
}
