import { useEffect, useMemo } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { useMessages } from '../../messages/i18n.js';
import { keysText } from '../../messages/keys.en.js';
import { Keys } from '../../state/keys.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import { AccessKeys } from './access-keys.js';
import { ApiKeys } from './api-keys.js';
import { faultMessage } from '../fault-text.js';

// Fetched with the page: a key that was made can be shown.
export { SecretDialog } from './secret-dialog.js';

export interface KeysPageProps {
  session: Session;
  notices: Notices;
}

/** Who may use the API. */
export function KeysPage({ session, notices }: KeysPageProps) {
  const text = useMessages(keysText);
  const shell = useMessages(shellText);
  const keys = useMemo(() => new Keys(session), [session]);
  useObserved(keys);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  useEffect(() => void keys.read(), [keys]);
  const { fault, accessKeys } = keys;
  return (
    <div class="page keys-page">
      <header class="heading">
        <h1>{text.title}</h1>
      </header>
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void keys.read()}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {accessKeys === null && fault === null && <p class="soft">{text.loading}</p>}
      {accessKeys !== null && (
        <>
          <ApiKeys {...{ session, notices, keys }} />
          <AccessKeys {...{ session, notices, keys, accessKeys }} />
        </>
      )}
    </div>
  );
}
