// The table of exports, as a page and as lines.

const HEAD = `# What exporters write, and what Adit makes of it

Written by \`npm run exports -- --write\`. Each row is one export that the exporter's newest version wrote of a small network, most of them
with random weights, since what is compared is arithmetic: the same three pictures (wide, tall, small) go through the exporter's own
pre-processing and post-processing, and through Adit's inspection, proposal and trial, and are then read as a job reads them, without the
JPEG of a job's frames.

- **Taken for** is what \`adit model inspect\` says without any answer: family and decoding. **Pictures** is how one becomes the input: its
  size, its colours, how it gets there, and what its values lie between, or whose mean and deviation they are given.
- **Asked** is what neither the graph nor its exporter tells, which \`adit model add\` asks for; the answers are those that whoever
  exports knows.
- **Agreement**: of boxes the least overlap (intersection over union) and the largest difference of scores, of classes the largest
  difference of a probability, of embeddings the least cosine. Boxes count from a score of 0.3 on. Refusals stand below the table.
`;

/** Limit of a line of text. */
const MAX_LENGTH = 140;
/** Means and deviations that many have, of values of 0..255. */
const KNOWN = new Map([
  ['0 255', '0..1'],
  ['0 1', '0..255'],
  ['127.5 127.5', '−1..1'],
  ['123.7/116.3/103.5 58.4/57.1/57.4', "ImageNet's"],
  ['122.8/116.7/104.1 68.5/66.6/70.3', "CLIP's"],
  ['? ?', '?'],
]);

/** One line of the table. */
export function rowOf(made, seen, agreed, verdict) {
  const { inspection, asked, refused } = seen;
  return {
    name: made.name,
    by: made.by,
    exporter: `${made.by} ${made.version}`,
    model: made.model,
    opset: String(inspection?.outline.opsets[''] ?? ''),
    taken: inspection === null ? '' : takenFor(inspection.proposal),
    pixels: inspection === null ? '' : pixelsOf(inspection.proposal.input),
    asked: asked.join(', '),
    verdict,
    agreement: agreed === null ? '' : inWords(agreed),
    refused,
  };
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
  const values = KNOWN.get(`${of(mean)} ${of(std)}`) ?? `(x − ${of(mean)}) / ${of(std)}`;
  return `${width ?? '?'}×${height ?? '?'} ${colour ?? '?'}, ${resized}, ${values}`;
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
  model: 'Model',
  opset: 'Opset',
  taken: 'Taken for',
  pixels: 'Pictures',
  asked: 'Asked',
  verdict: 'Verdict',
  agreement: 'Agreement',
};

/** The page, with what was counted above the table, and what was refused below it. */
export function pageOf(rows) {
  const exporters = new Set(rows.map(({ by }) => by)).size;
  const count = (verdict) => rows.filter((row) => row.verdict === verdict).length;
  const sum = `${rows.length} exports of ${exporters} exporters: ${count('agrees')} agree, ${count('refused')} are refused by name, ${count('unlike')} differ.`;
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const keys = Object.keys(COLUMNS);
  const lines = rows.map((row) => line(keys.map((key) => row[key].replaceAll('|', '\\|'))));
  const refused = rows
    .filter((row) => row.refused !== null)
    .map((row) => wrapped(`- ${row.exporter}, ${row.model}: ${row.refused}`));
  const table = [line(Object.values(COLUMNS)), line(keys.map(() => '---')), ...lines];
  return [HEAD, sum, '', ...table, '', '## Refused', '', ...refused, ''].join('\n');
}

/** An item of a list, in lines. */
function wrapped(text) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== '' && line.length + word.length >= MAX_LENGTH) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}
