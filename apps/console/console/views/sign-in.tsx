import { useId, useState } from 'preact/hooks';
import { signInText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import { isSignedOut, type Session } from '../state/session.js';
import { faultMessage } from './fault-text.js';
import { Preferences } from './preferences.js';

export function SignIn({ session }: { session: Session }) {
  const text = useMessages(signInText);
  const [fault, setFault] = useState<string | null>(
    session.ended ? text.ended : session.linkFailed ? text.linkFailed : null,
  );
  const [busy, setBusy] = useState(false);
  const ids = { key: useId(), hint: useId(), fault: useId(), keeps: useId() };
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
    <main class="sign-in">
      <form onSubmit={(event) => void submit(event)}>
        <p class="brand">Adit</p>
        <h1>{text.title}</h1>
        {fault !== null && (
          <p id={ids.fault} class="fault" role="alert">
            {fault}
          </p>
        )}
        <label for={ids.key}>{text.key}</label>
        <input
          id={ids.key}
          name="key"
          type="password"
          autocomplete="off"
          spellcheck={false}
          autofocus
          aria-invalid={fault !== null}
          aria-describedby={fault === null ? ids.hint : `${ids.fault} ${ids.hint}`}
        />
        <small id={ids.hint}>{text.hint}</small>
        <label class="check" for={ids.keeps}>
          <input id={ids.keeps} name="keeps" type="checkbox" />
          <span>
            {text.remember}
            <small>{text.rememberHint}</small>
          </span>
        </label>
        <button type="submit" class="primary" disabled={busy}>
          {text.submit}
        </button>
      </form>
      <Preferences />
    </main>
  );
}
