import type { Retention } from '@adit/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { useMessages } from '../../messages/i18n.js';
import { kindsText, retentionText } from '../../messages/usage.en.js';
import { lifetimeOf } from '../../model/lifetime.js';
import type { Notices } from '../../state/notices.js';
import { KINDS, RetentionDesk, type Kind } from '../../state/retention.js';
import type { Session } from '../../state/session.js';
import { ActButton, attempt } from '../act-button.js';
import { faultMessage } from '../fault-text.js';
import { Holds } from './holds.js';
import { LifetimeDialog } from './lifetime-dialog.js';
import { Upcoming } from './upcoming.js';
import { TableHead } from '../table-head.js';

interface RetentionPartProps {
  session: Session;
  notices: Notices;
}

/** How long what is kept, what is held, and what goes next. */
export function RetentionPart({ session, notices }: RetentionPartProps) {
  const text = useMessages(retentionText);
  const shell = useMessages(shellText);
  const desk = useMemo(() => new RetentionDesk(session), [session]);
  useObserved(desk);
  useEffect(() => void desk.read(), [desk]);
  const { retention, upcoming, fault } = desk;
  return (
    <section aria-labelledby="retention">
      <header class="heading">
        <h2 id="retention">{text.title}</h2>
        <span class="soft">{text.hint}</span>
      </header>
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void desk.read()}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {retention !== null && (
        <>
          <Lifetimes {...{ session, notices, desk, retention }} />
          <Holds {...{ session, notices, desk }} />
        </>
      )}
      {upcoming !== null && <Upcoming upcoming={upcoming} />}
    </section>
  );
}

/** A time that something is kept for, in words; null: without end. */
export function useLifetimeText(): (seconds: number | null) => string {
  const text = useMessages(retentionText);
  return (seconds) => {
    if (seconds === null) return text.ever;
    if (seconds === 0) return text.none;
    const { amount, unit } = lifetimeOf(seconds);
    return text[unit](amount);
  };
}

interface LifetimesProps extends RetentionPartProps {
  desk: RetentionDesk;
  retention: Retention;
}

function Lifetimes({ session, notices, desk, retention }: LifetimesProps) {
  const text = useMessages(retentionText);
  const kinds = useMessages(kindsText);
  const lifetimeText = useLifetimeText();
  const [changes, setChanges] = useState<Kind | null>(null);
  const refused = session.mayManage ? undefined : text.mayNot;
  return (
    <>
      <table class="list rows-list lifetimes">
        <TableHead names={[text.kind, text.kept, text.installation, text.actions]} />
        <tbody>
          {KINDS.map((kind) => (
            <tr key={kind}>
              <th scope="row">{kinds[kind]}</th>
              <td>
                {retention[kind] === null ? text.asInstalled : lifetimeText(retention[kind])}
                {retention.pending.includes(kind) && <small>{text.pending}</small>}
              </td>
              <td>{lifetimeText(retention.defaults[kind])}</td>
              <td class="actions-cell">
                <ActButton
                  {...{ session, notices, refused, label: text.change, title: text.changeOf({ name: kinds[kind] }) }}
                  act={() => setChanges(kind)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {changes !== null && (
        <LifetimeDialog
          name={kinds[changes]}
          seconds={retention[changes]}
          installation={lifetimeText(retention.defaults[changes])}
          onClose={() => setChanges(null)}
          onChange={(seconds) => {
            setChanges(null);
            void attempt({ session, notices }, async () => {
              await desk.change(changes, seconds);
              notices.say(text.changed);
            });
          }}
        />
      )}
    </>
  );
}
