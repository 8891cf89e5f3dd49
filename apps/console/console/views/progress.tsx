import type { JobRow } from '../model/job-rows.js';
import { useModuleNames } from './module-names.js';

/** A bar for each module, named for screen readers; where all are done their names alone. */
export function ModuleProgress({ modules }: Pick<JobRow, 'modules'>) {
  const nameOf = useModuleNames();
  if (modules.every(({ state }) => state === 'completed')) {
    return <span class="soft">{modules.map(({ id }) => nameOf(id)).join(', ')}</span>;
  }
  return (
    <ul class="modules">
      {modules.map(({ id, state, progress }) => (
        <li key={id} class={state}>
          <span class="module">{nameOf(id)}</span>
          <progress max={1} value={state === 'completed' ? 1 : progress} aria-label={nameOf(id)} />
        </li>
      ))}
    </ul>
  );
}

export function StateMark({ state, text }: { state: JobRow['state']; text: string }) {
  return (
    <span class={`state ${state}`}>
      <i aria-hidden="true" />
      {text}
    </span>
  );
}
