import { useEffect } from 'preact/hooks';
import type { Shuttle } from '../state/shuttle.js';

/** Elements that need the keys themselves. */
const TAKES_KEYS = 'input:not([type=checkbox]), select, textarea, dialog, [role=tab], [role=listbox]';

/** The keys of editing desks, wherever the focus is but in a field. */
export function useJobKeys(shuttle: Shuttle, goTo: (direction: 1 | -1) => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest(TAKES_KEYS) !== null) return;
      // Space presses the button that has the focus.
      const isButton = event.target instanceof Element && event.target.closest('button, a') !== null;
      if (isButton && (event.key === ' ' || event.key === 'Enter')) return;
      const act = actOf(event, shuttle, goTo);
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  });
}

function actOf(event: KeyboardEvent, shuttle: Shuttle, goTo: (direction: 1 | -1) => void): (() => void) | undefined {
  const frames = event.shiftKey ? 10 : 1;
  const acts: Record<string, () => void> = {
    j: () => shuttle.backward(),
    k: () => shuttle.pause(),
    l: () => shuttle.forward(),
    ' ': () => shuttle.toggle(),
    i: () => shuttle.setIn(),
    o: () => shuttle.setOut(),
    x: () => shuttle.clearMarks(),
    ArrowLeft: () => shuttle.step(-frames),
    ArrowRight: () => shuttle.step(frames),
    ArrowUp: () => goTo(-1),
    ArrowDown: () => goTo(1),
    Home: () => shuttle.seek(0),
    End: () => shuttle.seek(shuttle.duration),
  };
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return Object.hasOwn(acts, name) ? acts[name] : undefined;
}
