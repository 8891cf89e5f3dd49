import type { AuditEntry } from '@adit/client';
import { language, useMessages } from '../../messages/i18n.js';
import { auditText } from '../../messages/audit.en.js';
import { auditAddress, type AuditFilter } from '../../model/audit-filter.js';
import { dateText } from '../../model/time.js';
import { useActionNames } from './action-names.js';
import { TableHead } from '../table-head.js';

interface AuditTableProps {
  entries: readonly AuditEntry[];
  filter: AuditFilter;
}

export function AuditTable({ entries, filter }: AuditTableProps) {
  const text = useMessages(auditText);
  const nameOf = useActionNames();
  return (
    <table class="list rows-list trail">
      <TableHead names={[text.time, text.actor, text.action, text.resource, text.fields]} />
      <tbody>
        {entries.map(({ id, time, actor, action, resource, resource_id: of, fields, request_id: request }) => (
          <tr key={id}>
            <th scope="row" title={time}>
              <time dateTime={time}>{dateText(Date.parse(time), language.get())}</time>
            </th>
            <td>
              <a href={auditAddress({ ...filter, actor: actor.id })} title={text.only({ name: actor.name })}>
                {actor.name}
              </a>
            </td>
            <td title={text.request({ id: request })}>{nameOf(action)}</td>
            <td class="wraps">
              {resource}
              {of !== null && <small>{of}</small>}
            </td>
            <td class="wraps">{fields.join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
