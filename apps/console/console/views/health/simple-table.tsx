import type { ComponentChildren } from 'preact';
import { TableHead } from '../table-head.js';

interface SimpleTableProps {
  /** Names of the columns. */
  columns: readonly string[];
  /** Rows of as many cells; the first of each names it. */
  rows: readonly (readonly ComponentChildren[])[];
}

export function SimpleTable({ columns, rows }: SimpleTableProps) {
  return (
    <table class="list rows-list">
      <TableHead names={columns} />
      <tbody>
        {rows.map(([first, ...cells], at) => (
          <tr key={at}>
            <th scope="row">{first}</th>
            {cells.map((cell, column) => (
              <td key={column}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
