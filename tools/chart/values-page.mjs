// `node tools/chart/values-page.mjs`: writes helm/adit/README.md from the comments of the chart's values.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const chart = join(import.meta.dirname, '../../helm/adit');

const INTRODUCTION = `# The Helm chart of Adit

Made from the comments of values.yaml by \`node tools/chart/values-page.mjs\`; do not edit. How it is used is in
docs/operating/kubernetes.md.

\`\`\`sh
helm install adit helm/adit --namespace adit --create-namespace --values helm/adit/values/evaluation.yaml
helm test adit --namespace adit
\`\`\`

| Values file | What it is for |
|---|---|
`;

/** One row for each value that a comment \`# --\` explains: its path, its default as it is written, and the comment. */
export function valuesOf(text) {
  const rows = [];
  const path = [];
  let explained = '';
  for (const line of text.split('\n')) {
    const [, comment] = /^\s*# -- (.*)$/.exec(line) ?? [];
    if (comment !== undefined) explained = comment;
    const [, indent, key, rest = ''] = /^( *)([A-Za-z][\w-]*):(?: (.*))?$/.exec(line) ?? [];
    if (key === undefined) continue;
    path.length = indent.length / 2;
    path.push(key);
    if (explained === '') continue;
    const value = rest.replace(/^[&*]\w+$/, '').trim();
    rows.push({ path: path.join('.'), value, explained });
    explained = '';
  }
  return rows;
}

export function valuesPage() {
  const read = (name) => readFileSync(join(chart, name), 'utf8');
  const files = ['evaluation', 'small', 'standard', 'gpu', 'air-gapped'].map((name) => {
    const [, first] = /^# (.*)$/m.exec(read(`values/${name}.yaml`));
    return `| \`values/${name}.yaml\` | ${first} |`;
  });
  const cell = (text) => text.replaceAll('|', '\\|');
  const rows = valuesOf(read('values.yaml')).map(
    ({ path, value, explained }) =>
      `| \`${path}\` | ${value === '' ? '' : `\`${cell(value)}\``} | ${cell(explained)} |`,
  );
  return `${INTRODUCTION}${files.join('\n')}\n\n| Value | Default | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(join(chart, 'README.md'), valuesPage());
