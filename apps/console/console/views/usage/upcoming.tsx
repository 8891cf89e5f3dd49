import type { RetentionUpcoming } from '@adit/client';
import { language, useMessages } from '../../messages/i18n.js';
import { kindsText, retentionText } from '../../messages/usage.en.js';
import { dateText } from '../../model/time.js';
import { TableHead } from '../table-head.js';

/** What retention removes next. */
export function Upcoming({ upcoming }: { upcoming: RetentionUpcoming }) {
  const text = useMessages(retentionText);
  const kinds = useMessages(kindsText);
  const going = upcoming.kinds.filter(({ count }) => count > 0);
  const number = (count: number): string => count.toLocaleString(language.get());
  return (
    <section class="upcoming" aria-labelledby="upcoming">
      <header class="heading">
        <h3 id="upcoming">{text.upcoming}</h3>
      </header>
      {going.length === 0 ? (
        <p class="soft">{text.nothing}</p>
      ) : (
        <table class="list rows-list">
          <TableHead names={[text.kind, text.number, text.next]} />
          <tbody>
            {going.map(({ kind, count, is_partial: isPartial, first }) => (
              <tr key={kind}>
                <th scope="row">{kinds[kind]}</th>
                <td>{isPartial ? text.more({ count: number(count) }) : number(count)}</td>
                <td class="next">
                  <ul>
                    {first.map(({ id, name, time }) => (
                      <li key={id}>
                        {dateText(Date.parse(time), language.get())} <span>{name || id}</span>
                      </li>
                    ))}
                  </ul>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
