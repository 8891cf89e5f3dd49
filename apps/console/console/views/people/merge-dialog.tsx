import type { IndexedIdentity } from '@adit/client';
import { useId, useState } from 'preact/hooks';
import { Dialog } from '../../../shared/dialog.js';
import { shellText } from '../../messages/en.js';
import { useMessages } from '../../messages/i18n.js';
import { peopleText } from '../../messages/people.en.js';
import { Face } from './face.js';

interface MergeDialogProps {
  people: readonly IndexedIdentity[];
  onClose: () => void;
  onMerge: (label: string) => void;
}

/** Asks for the one name of several people. */
export function MergeDialog({ people, onClose, onMerge }: MergeDialogProps) {
  const text = useMessages(peopleText);
  const shell = useMessages(shellText);
  const id = useId();
  const [label, setLabel] = useState(people.find((each) => each.label !== '')?.label ?? '');
  return (
    <Dialog title={text.mergeTitle} closeLabel={shell.close} onClose={onClose}>
      <p>{text.mergeText}</p>
      <div class="faces">
        {people.map((person) => (
          <Face key={person.index_id} person={person} />
        ))}
      </div>
      <form
        class="sheet-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (label.trim() !== '') onMerge(label.trim());
        }}
      >
        <label for={id}>{text.name}</label>
        <input
          id={id}
          type="text"
          list="names"
          autocomplete="off"
          autofocus
          required
          maxLength={255}
          value={label}
          onInput={({ currentTarget }) => setLabel(currentTarget.value)}
        />
        <footer>
          <button type="button" onClick={onClose}>
            {shell.cancel}
          </button>
          <button type="submit" class="primary">
            {text.mergeSubmit}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
