import { useMessages } from '../../messages/i18n.js';
import { searchText } from '../../messages/search.en.js';
import type { Mistake } from '../../model/question.js';

interface MistakeTextProps {
  id?: string;
  q: string;
  mistake: Mistake;
}

/** The question with its wrong place marked, and what is wrong there. */
export function MistakeText({ id, q, mistake: { at, code, reason } }: MistakeTextProps) {
  const text = useMessages(searchText);
  const known: Record<string, unknown> = text;
  const own = Object.hasOwn(known, code) ? known[code] : undefined;
  const place = at + 1;
  return (
    <p id={id} class="fault mistake" role="alert">
      <code>
        {q.slice(0, at)}
        <mark>{q.slice(at, at + 1) || ' '}</mark>
        {q.slice(at + 1)}
      </code>
      {text.mistakeAt({ place, reason: typeof own === 'string' ? own : reason })}
    </p>
  );
}
