import type { ComponentChildren } from 'preact';

interface SimpleTableProps {
  /** Names of the columns. */
  columns: readonly string[];
  /** Rows of as many cells; the first of each names it. */
  rows: readonly (readonly ComponentChildren[])[];
}

export function SimpleTable({ columns, rows }: SimpleTableProps) {
  return (
    <table class="list rows-list">
      <thead>
        <tr>
          {columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
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
