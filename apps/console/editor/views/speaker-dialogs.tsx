import { useState } from 'preact/hooks';
import { renamed, withSpeaker } from '../model/edits.js';
import type { Paragraphs } from '../model/paragraph.js';
import { count, type Editor } from '../state/editor.js';
import { Dialog } from '../../shared/dialog.js';

const MAX_NAME_LENGTH = 200;

/** Counts the paragraphs of each speaker, in the order of their first one. */
export function speakersOf(paragraphs: Paragraphs): Map<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const { speaker } of paragraphs) counts.set(speaker, (counts.get(speaker) ?? 0) + 1);
  return counts;
}

const nameOf = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** Sets the speaker of one paragraph, or of all paragraphs of that speaker. */
export function SpeakerDialog({ editor, id, onClose }: { editor: Editor; id: string; onClose: () => void }) {
  const { paragraphs } = editor;
  const own = paragraphs.find((each) => each.id === id)?.speaker ?? null;
  const speakers = speakersOf(paragraphs);
  const [name, setName] = useState(own ?? '');
  const [everywhere, setEverywhere] = useState(false);
  const others = speakers.get(own) ?? 0;
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    const to = nameOf(name);
    editor.edit(everywhere ? renamed(paragraphs, own, to) : withSpeaker(paragraphs, id, to));
    onClose();
  };
  return (
    <Dialog title="Who speaks" onClose={onClose}>
      <form onSubmit={onSubmit}>
        <label class="line">
          Name
          <input
            type="text"
            list="speakers"
            value={name}
            maxLength={MAX_NAME_LENGTH}
            autofocus
            onFocus={({ currentTarget }) => currentTarget.select()}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <datalist id="speakers">
          {[...speakers.keys()].map((each) => each !== null && <option key={each} value={each} />)}
        </datalist>
        {others > 1 && (
          <label class="check">
            <input
              type="checkbox"
              checked={everywhere}
              onChange={({ currentTarget }) => setEverywhere(currentTarget.checked)}
            />
            In all {count(others, 'paragraph')} of {own ?? 'nobody named'}
          </label>
        )}
        <footer>
          <button type="submit" class="button strong">
            Set
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Renames speakers in all their paragraphs. */
export function SpeakersDialog({ editor, onClose }: { editor: Editor; onClose: () => void }) {
  const [speakers] = useState(() => [...speakersOf(editor.paragraphs)]);
  const [names, setNames] = useState(() => speakers.map(([name]) => name ?? ''));
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    const to = new Map(speakers.map(([name], at) => [name, nameOf(names[at] ?? '')]));
    const isOther = editor.paragraphs.some(({ speaker }) => to.get(speaker) !== speaker);
    if (isOther) {
      editor.edit(editor.paragraphs.map((each) => ({ ...each, speaker: to.get(each.speaker) ?? null })));
    }
    onClose();
  };
  return (
    <Dialog title="Speakers" onClose={onClose}>
      <form onSubmit={onSubmit}>
        <ul class="speakers">
          {speakers.map(([name, times], at) => (
            <li key={name ?? ''}>
              <input
                type="text"
                aria-label={`Name of ${name ?? 'nobody named'}`}
                placeholder="Nobody named"
                value={names[at]}
                maxLength={MAX_NAME_LENGTH}
                onInput={({ currentTarget: { value } }) => setNames((all) => all.with(at, value))}
              />
              <small>{count(times, 'paragraph')}</small>
            </li>
          ))}
        </ul>
        <footer>
          <button type="submit" class="button strong">
            Rename
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
