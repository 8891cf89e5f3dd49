import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { searchText } from '../../messages/search.en.js';
import { TOGETHER, type Mistake, type Question } from '../../model/question.js';
import { MistakeText } from './mistake-text.js';

interface SearchFormProps {
  question: Question;
  mistake: Mistake | null;
  ask: (q: string) => void;
  filter: (changed: Partial<Question>) => void;
}

/** The question, and where it is wrong. */
export function SearchForm({ question, mistake, ask, filter }: SearchFormProps) {
  const text = useMessages(searchText);
  const [q, setQ] = useState(question.q);
  const input = useRef<HTMLInputElement>(null);
  const fault = useId();
  useEffect(() => setQ(question.q), [question.q]);
  useEffect(() => {
    if (question.q === '') input.current?.focus();
  }, []);
  useLayoutEffect(() => {
    if (mistake === null) return;
    input.current?.focus();
    input.current?.setSelectionRange(mistake.at, mistake.at + 1);
  }, [mistake]);
  const { together } = question;
  const choices = together === null || TOGETHER.includes(together) ? TOGETHER : [...TOGETHER, together];
  return (
    <form
      class="question"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        ask(q.trim());
      }}
    >
      <input
        ref={input}
        type="search"
        name="q"
        aria-label={text.question}
        placeholder={text.example}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={mistake !== null}
        aria-describedby={mistake === null ? undefined : fault}
        value={q}
        onInput={({ currentTarget }) => setQ(currentTarget.value)}
      />
      <button type="submit" class="primary">
        {text.submit}
      </button>
      {mistake !== null && <MistakeText id={fault} q={question.q} mistake={mistake} />}
      <div class="options">
        <label>
          {text.together}{' '}
          <select
            value={together ?? ''}
            onChange={({ currentTarget: { value } }) => filter({ together: value === '' ? null : Number(value) })}
          >
            <option value="">{text.togetherNot}</option>
            {choices.map((seconds) => (
              <option key={seconds} value={seconds}>
                {text.togetherSeconds({ seconds })}
              </option>
            ))}
          </select>
        </label>
        <details class="keys">
          <summary>{text.syntax}</summary>
          <ul>
            {[text.syntaxAll, text.syntaxPhrase, text.syntaxOperators, text.syntaxFields].map((rule) => (
              <li key={rule}>{rule}</li>
            ))}
          </ul>
        </details>
      </div>
    </form>
  );
}
