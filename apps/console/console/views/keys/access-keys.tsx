import type { AccessKey } from '@adit/client';
import { useState } from 'preact/hooks';
import { language, useMessages } from '../../messages/i18n.js';
import { keysText } from '../../messages/keys.en.js';
import { dateText } from '../../model/time.js';
import type { Keys } from '../../state/keys.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import { ActButton, attempt } from '../act-button.js';
import { NewAccessKeyDialog, RevokeDialog } from './key-dialogs.js';
import { TableHead } from '../table-head.js';

interface AccessKeysProps {
  session: Session;
  notices: Notices;
  keys: Keys;
  accessKeys: readonly AccessKey[];
}

export function AccessKeys({ session, notices, keys, accessKeys }: AccessKeysProps) {
  const text = useMessages(keysText);
  const [makes, setMakes] = useState(false);
  const [revokes, setRevokes] = useState<AccessKey | null>(null);
  return (
    <section aria-label={text.accessKeys}>
      <header class="heading">
        <h2>{text.accessKeys}</h2>
        <span class="soft">{text.accessKeysHint}</span>
        <ActButton {...{ session, notices, label: text.makeAccess, act: () => setMakes(true) }} />
      </header>
      {accessKeys.length === 0 ? (
        <p class="soft">{text.none}</p>
      ) : (
        <table class="list keys">
          <TableHead names={[text.name, text.scopes, text.created, text.actions]} />
          <tbody>
            {accessKeys.map((each) => (
              <tr key={each.key}>
                <th scope="row">
                  {each.name}
                  <small>{each.key}</small>
                </th>
                <td>{each.scopes.join(', ')}</td>
                <td>{dateText(Date.parse(each.time_created), language.get())}</td>
                <td class="actions-cell">
                  <ActButton
                    {...{ session, notices, label: text.revoke, title: text.revokeOf({ name: each.name }) }}
                    kind="quiet"
                    act={() => setRevokes(each)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {makes && (
        <NewAccessKeyDialog
          onClose={() => setMakes(false)}
          onMake={(request) => {
            setMakes(false);
            void attempt({ session, notices }, async () => {
              const { name, key, secret } = await keys.makeAccess(request);
              session.showSecret({
                name,
                parts: [
                  [text.identifier, key],
                  [text.secret, secret],
                ],
              });
            });
          }}
        />
      )}
      {revokes !== null && (
        <RevokeDialog
          name={revokes.name}
          onClose={() => setRevokes(null)}
          onRevoke={() => {
            setRevokes(null);
            void attempt({ session, notices }, async () => {
              await keys.revokeAccess(revokes);
              notices.say(text.revoked({ name: revokes.name }));
            });
          }}
        />
      )}
    </section>
  );
}
