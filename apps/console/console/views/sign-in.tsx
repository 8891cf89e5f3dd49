import { useEffect, useState } from 'preact/hooks';
import { signInText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import type { Place, SignInFault } from '../state/route.js';
import type { Session } from '../state/session.js';
import { faultMessage } from './fault-text.js';
import { FAULT_ID, KeyForm } from './key-form.js';
import { Preferences } from './preferences.js';

interface SignInProps {
  session: Session;
  place: Place;
}

/** Signs in by the provider, where the service has one, or by a key; accepts an invitation. */
export function SignIn({ session, place }: SignInProps) {
  const text = useMessages(signInText);
  const { provider, ended, linkFailed } = session;
  const invitation = place.page === 'invitation' ? place.token : null;
  const told = place.page === 'sign-in' ? place.fault : null;
  const [fault, setFault] = useState<string | null>(ended ? text.ended : linkFailed ? text.linkFailed : null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (provider === undefined) void session.readOffer();
  }, [session, provider]);
  const begin = async (): Promise<void> => {
    setBusy(true);
    try {
      await session.signInByProvider(invitation);
    } catch (error) {
      setFault(faultMessage(error));
      setBusy(false);
    }
  };
  const contact = provider?.contact ?? text.somebody;
  const named = { claim: text.claim({ contact }), stranger: text.stranger({ contact }) };
  const wording: Record<SignInFault, string> = { ...text, ...named };
  const shown = fault ?? (told === null ? null : wording[told]);
  const hasProvider = provider !== undefined && provider !== null;
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <p class="brand">Adit</p>
        <h1>{invitation === null ? text.title : text.invited}</h1>
        {shown !== null && (
          <p id={FAULT_ID} class="fault" role="alert">
            {shown}
          </p>
        )}
        {invitation !== null && <p>{provider === null ? text.noProvider : text.invitedHint}</p>}
        {hasProvider && (
          <button type="button" class="primary" autofocus disabled={busy} onClick={() => void begin()}>
            {text.by({ name: provider.name })}
          </button>
        )}
        {hasProvider && invitation === null && <p class="or">{text.or}</p>}
        {invitation === null && <KeyForm {...{ session, setFault }} isFirst={!hasProvider} isWrong={fault !== null} />}
      </div>
      <Preferences />
    </main>
  );
}
