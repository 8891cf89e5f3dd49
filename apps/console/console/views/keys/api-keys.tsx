import type { ApiKey } from '@adit/client';
import { useState } from 'preact/hooks';
import { language, useMessages } from '../../messages/i18n.js';
import { keysText } from '../../messages/keys.en.js';
import { dateText } from '../../model/time.js';
import type { Keys } from '../../state/keys.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import { ActButton, attempt } from '../act-button.js';
import { NewApiKeyDialog, RevokeDialog, RotateDialog } from './key-dialogs.js';
import { TableHead } from '../table-head.js';

interface ApiKeysProps {
  session: Session;
  notices: Notices;
  keys: Keys;
}

type Asked = { act: 'make' } | { act: 'rotate' | 'revoke'; key: ApiKey } | null;

export function ApiKeys({ session, notices, keys }: ApiKeysProps) {
  const text = useMessages(keysText);
  const [asked, setAsked] = useState<Asked>(null);
  const refused = session.mayManage ? undefined : text.mayNot;
  const close = (): void => setAsked(null);
  const run = (act: () => Promise<void>): void => {
    close();
    void attempt({ session, notices }, act);
  };
  return (
    <section aria-label={text.apiKeys}>
      <header class="heading">
        <h2>{text.apiKeys}</h2>
        <span class="soft">{text.apiKeysHint}</span>
        <ActButton {...{ session, notices, refused, label: text.make, act: () => setAsked({ act: 'make' }) }} />
      </header>
      {keys.apiKeys === null ? (
        <p class="soft">{text.cannotSee}</p>
      ) : (
        <ApiKeyTable {...{ session, notices, apiKeys: keys.apiKeys, setAsked }} />
      )}
      {asked?.act === 'make' && (
        <NewApiKeyDialog
          isOwner={session.me?.role === 'owner'}
          onClose={close}
          onMake={(request) =>
            run(async () => {
              const { name, key } = await keys.make(request);
              session.showSecret({ name, parts: [[text.key, key]] });
            })
          }
        />
      )}
      {asked?.act === 'rotate' && (
        <RotateDialog
          name={asked.key.name}
          isOwn={asked.key.id === session.me?.key?.id}
          onClose={close}
          onRotate={(overlap) =>
            run(async () => {
              const { name, key } = await keys.rotate(asked.key, overlap);
              session.showSecret({ name, parts: [[text.key, key]] });
            })
          }
        />
      )}
      {asked?.act === 'revoke' && (
        <RevokeDialog
          name={asked.key.name}
          isOwn={asked.key.id === session.me?.key?.id}
          onClose={close}
          onRevoke={() =>
            run(async () => {
              await keys.revoke(asked.key);
              notices.say(text.revoked({ name: asked.key.name }));
            })
          }
        />
      )}
    </section>
  );
}

interface ApiKeyTableProps {
  session: Session;
  notices: Notices;
  apiKeys: readonly ApiKey[];
  setAsked: (asked: Asked) => void;
}

function ApiKeyTable({ session, notices, apiKeys, setAsked }: ApiKeyTableProps) {
  const text = useMessages(keysText);
  return (
    <table class="list keys">
      <TableHead names={[text.name, text.role, text.limits, text.used, text.actions]} />
      <tbody>
        {apiKeys.map((key) => {
          const { id, name, role, prefix, time_last_used: used, time_expires: ends } = key;
          const refused = role === 'owner' && session.me?.role !== 'owner' ? text.ownersOnly : undefined;
          const same = { session, notices, refused };
          return (
            <tr key={id}>
              <th scope="row">
                {name} {id === session.me?.key?.id && <em class="used">{text.own}</em>}
                <small>{prefix}…</small>
              </th>
              <td>{role}</td>
              <td>
                <Limits apiKey={key} />
              </td>
              <td>
                {used === null ? text.never : dateText(Date.parse(used), language.get())}
                {ends !== null && <small>{text.ends({ time: dateText(Date.parse(ends), language.get()) })}</small>}
              </td>
              <td class="actions-cell">
                <ActButton
                  {...{ ...same, label: text.rotate, title: text.rotateOf({ name }) }}
                  act={() => setAsked({ act: 'rotate', key })}
                />{' '}
                <ActButton
                  {...{ ...same, label: text.revoke, title: text.revokeOf({ name }), kind: 'quiet' }}
                  act={() => setAsked({ act: 'revoke', key })}
                />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Limits({ apiKey }: { apiKey: ApiKey }) {
  const text = useMessages(keysText);
  const { requests_per_second: requests, jobs_per_day: jobs } = apiKey;
  const limits = [
    ...(requests === null || requests === 0 ? [] : [text.perSecond(requests)]),
    ...(jobs === null || jobs === 0 ? [] : [text.perDay(jobs)]),
  ];
  return <>{limits.join(', ')}</>;
}
