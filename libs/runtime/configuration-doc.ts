import type { SettingRow } from './config.js';

interface ConfigurationSection {
  title: string;
  /** A sentence under the title, for instance which processes read these settings. */
  introduction?: string;
  rows: SettingRow[];
}

/** docs/reference/configuration.md: a table for each section. The text is made from the schemas, so it cannot lag behind them. */
export function configurationDoc(sections: ConfigurationSection[]): string {
  const parts = sections.map(({ title, introduction, rows }) =>
    [`## ${title}`, ...(introduction === undefined ? [] : ['', introduction]), '', table(rows)].join('\n'),
  );
  return [
    '# Configuration',
    '',
    'Generated from the configuration schemas; do not edit. Every setting is an environment variable.',
    '',
    parts.join('\n\n'),
    '',
  ].join('\n');
}

function table(rows: SettingRow[]): string {
  const lines = rows.map((row) => {
    const fallback = row.required ? '*required*' : row.default === null ? 'none' : `\`${row.default}\``;
    const former = row.former === null ? '' : ` Formerly \`${row.former}\`, which still works.`;
    const meaning = `${row.description}${row.secret ? ' (secret)' : ''}${former}`;
    return `| ${[`\`${row.env}\``, row.type, fallback, meaning].map(cell).join(' | ')} |`;
  });
  return ['| Variable | Type | Default | Meaning |', '|---|---|---|---|', ...lines].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
