import { jobsText, whyText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import { explain, shortName } from '../model/explain.js';
import { useModuleNames } from './module-names.js';

interface JobErrorsProps {
  errors: readonly string[];
  /** Number of all errors; those beyond `errors` are only counted. */
  count: number;
  sources: readonly string[];
  modules: readonly string[];
  /** Names of the sources, in their order. */
  names?: readonly string[];
}

/** What went wrong in words, and what to do about it. */
export function JobErrors({ errors, count, sources, modules, names = [] }: JobErrorsProps) {
  const text = useMessages(whyText);
  const list = useMessages(jobsText);
  const nameOf = useModuleNames();
  const more = count - errors.length;
  return (
    <ul class="errors">
      {errors.map((error) => {
        const { what, about, reason, advice } = explain(error, sources, modules);
        const name = what === 'module' ? nameOf(about) : (names[sources.indexOf(about)] ?? shortName(about));
        return (
          <li key={error}>
            <strong>{what === 'job' ? text.job : text[what]({ name })}</strong> <span class="reason">{reason}</span>{' '}
            <span class="advice">{text[advice]}</span>
          </li>
        );
      })}
      {more > 0 && <li class="soft">{list.moreErrors(more)}</li>}
    </ul>
  );
}
