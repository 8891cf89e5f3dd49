import type { Usage } from '@adit/client';
import { useMessages } from '../../messages/i18n.js';
import { usageText } from '../../messages/usage.en.js';
import { durationText } from '../../model/time.js';
import { MEASURES } from '../../model/usage.js';
import type { UsageGroup } from '../../model/usage-filter.js';
import { useModuleNames } from '../module-names.js';
import { dayText } from './usage-chart.js';
import { TableHead } from '../table-head.js';

interface UsageTableProps {
  by: UsageGroup;
  rows: Usage['rows'];
  /** Those that are summed up in the last line. */
  sums: Usage['rows'];
}

export function UsageTable({ by, rows, sums }: UsageTableProps) {
  const text = useMessages(usageText);
  const nameOfModule = useModuleNames();
  const nameOf = ({ day, module, key }: Usage['rows'][number]): string => {
    if (by === 'day') return dayText(day ?? '');
    if (by === 'module') return nameOfModule(module ?? '');
    if (key === null || key.id === null) return text.noKey;
    return key.name ?? text.deletedKey({ id: key.id });
  };
  return (
    <table class="list usage">
      <TableHead names={[text[by], ...MEASURES.map((measure) => text[measure])]} />
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.day} ${row.module} ${row.key?.id}`}>
            <th scope="row">{nameOf(row)}</th>
            {MEASURES.map((measure) => (
              <td key={measure}>{durationText(row[measure])}</td>
            ))}
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{text.sum}</th>
          {MEASURES.map((measure) => (
            <td key={measure}>{durationText(sums.reduce((total, row) => total + row[measure], 0))}</td>
          ))}
        </tr>
      </tfoot>
    </table>
  );
}
