import { language, useMessages } from '../../messages/i18n.js';
import { membersText } from '../../messages/members.en.js';
import { dateText } from '../../model/time.js';
import type { Members } from '../../state/members.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import { ActButton, attempt } from '../act-button.js';
import { TableHead } from '../table-head.js';

interface SessionTableProps {
  session: Session;
  notices: Notices;
  members: Members;
}

export function SessionTable({ session, notices, members }: SessionTableProps) {
  const text = useMessages(membersText);
  const time = (iso: string): string => dateText(Date.parse(iso), language.get());
  return (
    <section aria-label={text.sessions}>
      <header class="heading">
        <h2>{text.sessions}</h2>
        <span class="soft">{text.sessionsHint}</span>
      </header>
      {members.sessions.length === 0 ? (
        <p class="soft">{text.none}</p>
      ) : (
        <table class="list keys">
          <TableHead names={[text.name, text.since, text.used, text.actions]} />
          <tbody>
            {members.sessions.map((each) => {
              const { name } = each.member;
              const end = async (): Promise<void> => {
                await members.end(each);
                notices.say(text.ended({ name }));
              };
              return (
                <tr key={each.id}>
                  <th scope="row">
                    {name} {each.is_own && <em class="used">{text.thisBrowser}</em>}
                  </th>
                  <td>{time(each.time_created)}</td>
                  <td>{time(each.time_last_used)}</td>
                  <td class="actions-cell">
                    <ActButton
                      {...{ session, notices, label: text.end, title: text.endOf({ name }) }}
                      kind="quiet"
                      act={() => void attempt({ session, notices }, end)}
                    />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}
