import { useId, useState } from 'preact/hooks';
import { signInText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import { isSignedOut, type Session } from '../state/session.js';
import { faultMessage } from './fault-text.js';

/** Id of what is wrong, above the form. */
export const FAULT_ID = 'sign-in-fault';

interface KeyFormProps {
  session: Session;
  /** There is no other way in. */
  isFirst: boolean;
  isWrong: boolean;
  setFault: (fault: string) => void;
}

/** Signs in with an API key. */
export function KeyForm({ session, isFirst, isWrong, setFault }: KeyFormProps) {
  const text = useMessages(signInText);
  const [busy, setBusy] = useState(false);
  const ids = { key: useId(), hint: useId(), keeps: useId() };
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const given = new FormData(event.currentTarget);
    const key = String(given.get('key') ?? '').trim();
    if (key === '') return setFault(text.empty);
    setBusy(true);
    try {
      await session.signIn(key, given.get('keeps') !== null);
    } catch (error) {
      setFault(isSignedOut(error) ? text.wrong : faultMessage(error));
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <label for={ids.key}>{text.key}</label>
      <input
        id={ids.key}
        name="key"
        type="password"
        autocomplete="off"
        spellcheck={false}
        autofocus={isFirst}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? `${FAULT_ID} ${ids.hint}` : ids.hint}
      />
      <small id={ids.hint}>{text.hint}</small>
      <label class="check" for={ids.keeps}>
        <input id={ids.keeps} name="keeps" type="checkbox" />
        <span>
          {text.remember}
          <small>{text.rememberHint}</small>
        </span>
      </label>
      <button type="submit" class={isFirst ? 'primary' : undefined} disabled={busy}>
        {text.submit}
      </button>
    </form>
  );
}
