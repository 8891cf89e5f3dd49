// A face that somebody knows becomes a photo of a person that models learn from. A page without a server cannot do that
// itself: it writes the commands that do.
import { data, el } from './page.js';

/** A word of a shell, whatever is in it, without control characters: a terminal obeys those as they are pasted, quoted or not. */
const quoted = (text) => `'${text.replace(/\p{Cc}/gu, '').replaceAll("'", "'\\''")}'`;

/**
 * Returns shell commands (curl and jq) that ask the API to make the face of a segment an image of the person called
 * `name`.
 */
export function enrollCommand({ dataset, name, jobId, seq }) {
  const body = JSON.stringify({ job_id: jobId, segment_id: seq });
  return [
    `classes="$ADIT_SERVER/api/v1/datasets/"${quoted(dataset)}/classes name=${quoted(name)}`,
    'ask() { curl -sSf -H "Authorization: Key $ADIT_API_KEY" -H "Content-Type: application/json" "$@"; }',
    'class=$(ask "$classes/" | jq -r --arg name "$name" \'[.[] | select(.label == $name)][0].id // empty\')',
    '[ -n "$class" ] || class=$(jq -n --arg label "$name" \'$ARGS.named\' | ask "$classes/" -d @- | jq -r .id)',
    `[ -z "$class" ] || ask "$classes/$class/images/" -d ${quoted(body)}`,
  ].join('\n');
}

let lastDataset = '';

/** Who a face is, said by whoever looks at it; null for what no model of people learns from. */
export function enrolling({ type, seq, label, meta }) {
  if (type !== 'face' || seq === undefined) return null;
  const unknown = /^(unknown|Unknown #\d+)$/.test(label);
  const guess = unknown ? (meta.closest_person ?? '') : label;
  const name = el('input', { value: guess, placeholder: 'Ada Lovelace', maxLength: 200 });
  const dataset = el('input', { value: lastDataset, placeholder: 'from: adit dataset list', maxLength: 64 });
  const command = el('textarea', { readOnly: true, rows: 5, spellcheck: false, 'aria-label': 'Commands' });
  const copy = el('button', { type: 'button' }, 'Copy the commands');
  const write = () => {
    lastDataset = dataset.value.trim();
    const ready = lastDataset !== '' && name.value.trim() !== '';
    copy.disabled = !ready;
    command.value = ready
      ? enrollCommand({ dataset: lastDataset, name: name.value.trim(), jobId: data.job.id, seq })
      : '';
    command.hidden = !ready;
  };
  for (const field of [name, dataset]) field.addEventListener('input', write);
  copy.addEventListener('click', () => {
    command.select();
    copy.textContent = document.execCommand('copy') ? 'Copied' : 'Copy with Ctrl+C';
  });
  write();
  return el(
    'details',
    { className: 'teach' },
    el('summary', {}, unknown && guess !== '' ? `Is it ${guess}? Confirm` : 'Teach who this is'),
    el(
      'p',
      {},
      'The face becomes a photo of this person in a dataset; the next training knows it. Run in a shell with ADIT_SERVER and ADIT_API_KEY:',
    ),
    el('label', {}, 'Name', name),
    el('label', {}, 'Id of the dataset', dataset),
    command,
    copy,
  );
}
