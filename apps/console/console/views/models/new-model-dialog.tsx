import type { Model } from '@adit/client';
import { useId, useState } from 'preact/hooks';
import { Dialog } from '../../../shared/dialog.js';
import { shellText } from '../../messages/en.js';
import { useMessages } from '../../messages/i18n.js';
import { modelsText } from '../../messages/models.en.js';
import { CHOICES, nameFor, type Answer, type Question } from '../../model/new-model.js';
import type { Models } from '../../state/models.js';
import type { Session } from '../../state/session.js';
import { faultMessage } from '../fault-text.js';

interface NewModelDialogProps {
  file: File;
  models: Models;
  session: Session;
  onClose: () => void;
  onAdded: (model: Model) => void;
}

/** Adds a file as a model; what it does not say is asked for. */
export function NewModelDialog({ file, models, session, onClose, onAdded }: NewModelDialogProps) {
  const text = useMessages(modelsText);
  const shell = useMessages(shellText);
  const id = useId();
  const [name, setName] = useState(nameFor(file.name));
  const [answers, setAnswers] = useState<Partial<Record<Answer, string>>>({});
  const [questions, setQuestions] = useState<Question[]>([]);
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      const given = Object.fromEntries(Object.entries(answers).filter(([, answer]) => answer !== ''));
      const added = await models.add({ name: name.trim(), file, answers: given });
      if (!Array.isArray(added)) return onAdded(added);
      // What was answered before stays to be seen, and to be changed.
      const asked = new Set(added.map(({ answer }) => answer));
      setQuestions([...added, ...questions.filter(({ answer }) => !asked.has(answer)).map(settled)]);
    } catch (error) {
      session.notice(error);
      setFault(faultMessage(error));
    }
    setBusy(false);
  };
  return (
    <Dialog title={text.addTitle} closeLabel={shell.close} onClose={onClose}>
      <form
        class="sheet-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void submit();
        }}
      >
        <p>
          {text.file}: <b>{file.name}</b>
        </p>
        <label for={id}>{text.name}</label>
        <input
          id={id}
          type="text"
          required
          autofocus
          maxLength={255}
          autocomplete="off"
          value={name}
          aria-describedby={`${id}-hint`}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <small id={`${id}-hint`}>{text.nameHint}</small>
        {questions.length > 0 && (
          <p role="alert" class="asked">
            {text.asked}
          </p>
        )}
        {questions.map((question) => (
          <AnswerField
            key={question.answer}
            question={question}
            value={answers[question.answer] ?? ''}
            set={(value) => setAnswers({ ...answers, [question.answer]: value })}
          />
        ))}
        {fault !== null && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <footer>
          <span class="soft" role="status">
            {busy && text.checking}
          </span>
          <button type="button" onClick={onClose}>
            {shell.cancel}
          </button>
          <button type="submit" class="primary" disabled={busy}>
            {text.add}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function settled({ answer }: Question): Question {
  return { answer, message: '' };
}

interface AnswerFieldProps {
  question: Question;
  value: string;
  set: (value: string) => void;
}

function AnswerField({ question: { answer, message }, value, set }: AnswerFieldProps) {
  const texts: Record<string, unknown> = useMessages(modelsText);
  const id = useId();
  const own = Object.hasOwn(texts, answer) ? texts[answer] : undefined;
  const choices = CHOICES[answer];
  const same = { id, value, required: true, 'aria-describedby': `${id}-hint` };
  return (
    <>
      <label for={id}>{typeof own === 'string' ? own : answer.replaceAll('_', ' ')}</label>
      {choices !== undefined ? (
        <select {...same} name={answer} onChange={({ currentTarget }) => set(currentTarget.value)}>
          {['', ...choices].map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : answer === 'labels' ? (
        <textarea {...same} name={answer} rows={5} onInput={({ currentTarget }) => set(currentTarget.value)} />
      ) : (
        <input {...same} name={answer} type="text" onInput={({ currentTarget }) => set(currentTarget.value)} />
      )}
      <small id={`${id}-hint`}>{message}</small>
    </>
  );
}
