import type { Conflict } from '../model/merge.js';
import { clock } from '../model/time.js';
import { count, type Editor } from '../state/editor.js';

/** Lists paragraphs that two people changed incompatibly, until each is settled. */
export function Conflicts({ editor }: { editor: Editor }) {
  const { conflicts } = editor;
  if (conflicts.length === 0) return null;
  return (
    <section class="conflicts" aria-label="Conflicts">
      <h2>{count(conflicts.length, 'paragraph')} changed by you and by somebody else</h2>
      <p class="soft">Choose what counts; nothing of yours is saved before. Everything else has come together.</p>
      <ol>
        {conflicts.map((conflict) => (
          <OneConflict key={conflict.id} conflict={conflict} onChoice={(choice) => editor.settle(conflict, choice)} />
        ))}
      </ol>
    </section>
  );
}

function OneConflict({ conflict, onChoice }: { conflict: Conflict; onChoice: (choice: 'mine' | 'theirs') => void }) {
  const at = clock(conflict.base.time_start);
  const side = (title: string, choice: 'mine' | 'theirs') => {
    const paragraph = conflict[choice];
    return (
      <div>
        <header>
          <b>{title}</b>
          <small>{paragraph?.speaker ?? (paragraph === null ? '' : 'Nobody named')}</small>
        </header>
        {paragraph === null ? <p class="soft">Deleted</p> : <p>{marked(conflict.base.text, paragraph.text)}</p>}
        <button type="button" class="button" onClick={() => onChoice(choice)}>
          Take {choice === 'mine' ? 'yours' : 'theirs'}
          <span class="unseen"> at {at}</span>
        </button>
      </div>
    );
  };
  return (
    <li>
      <small>{at}</small>
      {side('Yours', 'mine')}
      {side('Theirs', 'theirs')}
    </li>
  );
}

/** Marks the part of the text that differs from the base. */
function marked(base: string, text: string) {
  const [old, now] = [base.split(/(?<=\s)/u), text.split(/(?<=\s)/u)];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const end = now.length - tail;
  return [now.slice(0, head).join(''), <ins key="ins">{now.slice(head, end).join('')}</ins>, now.slice(end).join('')];
}
