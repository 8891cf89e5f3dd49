// The table of exports, as a page and as lines.

const HEAD = `# What exporters write, and what Adit makes of it

Written by \`npm run exports -- --write\`. Each row is one export that the exporter's newest version wrote of a small network, most of them
with random weights, since what is compared is arithmetic: the same three pictures (wide, tall, small) go through the exporter's own
pre-processing and post-processing, and through Adit's inspection, proposal and trial, and are then read as a job reads them, without the
JPEG of a job's frames.

- **Taken for** is what \`adit model inspect\` says without any answer: family, decoding, and how a picture becomes the input.
- **Asked** is what neither the graph nor its exporter tells, which \`adit model add\` asks for; the answers are those that whoever
  exports knows.
- **Agreement**: of boxes the least overlap (intersection over union) and the largest difference of scores, of classes the largest
  difference of a probability, of embeddings the least cosine. Boxes count from a score of 0.3 on.
`;

const LONGEST = 200;

/** One line of the table. */
export function rowOf(made, seen, agreed, verdict) {
  const { inspection, asked, refused } = seen;
  return {
    name: made.name,
    exporter: made.by,
    version: made.version,
    model: made.model,
    task: made.task,
    opset: String(inspection?.outline.opsets[''] ?? ''),
    taken: inspection === null ? '' : takenFor(inspection.proposal),
    pixels: inspection === null ? '' : pixelsOf(inspection.proposal.input),
    asked: asked.join(', '),
    verdict,
    agreement: agreed === null ? brief(refused ?? '') : inWords(agreed),
  };
}

/** The beginning of a refusal, which names the reason. */
export function brief(text) {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function takenFor({ family, decoding }) {
  if (family === null) return 'nothing';
  return decoding === null ? family : `${family}, ${decoding}`;
}

function pixelsOf(input) {
  if (input === null) return 'no picture';
  const { width, height, colour, resize, filter, shorterSide, mean, std } = input;
  const of = (values) =>
    values === null ? '?' : [...new Set(values.map((value) => Number(value.toFixed(1))))].join('/');
  const resized = [resize ?? '?', filter, shorterSide === null ? null : `of ${shorterSide}`].filter(Boolean).join(' ');
  return `${width ?? '?'}×${height ?? '?'} ${colour ?? '?'}, ${resized}, (x − ${of(mean)}) / ${of(std)}`;
}

function inWords({ kind, compared, overlap, difference, missed }) {
  if (kind === 'boxes') {
    const apart = missed > 0 ? `, ${missed} without counterpart` : '';
    return `${compared} boxes, overlap ${overlap.toFixed(4)}, score ${difference.toFixed(4)}${apart}`;
  }
  if (missed > 0) return `another number of values`;
  return kind === 'scores' ? `probability ${difference.toFixed(4)}` : `cosine ${overlap.toFixed(5)}`;
}

const COLUMNS = {
  exporter: 'Exporter',
  version: 'Version',
  model: 'Model',
  task: 'Task',
  opset: 'Opset',
  taken: 'Taken for',
  pixels: 'Pictures',
  asked: 'Asked',
  verdict: 'Verdict',
  agreement: 'Agreement, or the refusal',
};

/** The page, with what was counted above the table. */
export function pageOf(rows) {
  const exporters = new Set(rows.map(({ exporter }) => exporter)).size;
  const count = (verdict) => rows.filter((row) => row.verdict === verdict).length;
  const sum = `${rows.length} exports of ${exporters} exporters: ${count('agrees')} agree, ${count('refused')} are refused by name, ${count('unlike')} differ.`;
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const keys = Object.keys(COLUMNS);
  const lines = rows.map((row) => line(keys.map((key) => row[key].replaceAll('|', '\\|'))));
  return [HEAD, sum, '', line(Object.values(COLUMNS)), line(keys.map(() => '---')), ...lines, ''].join('\n');
}
