import type { IndexedIdentity } from '@adit/client';
import { useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { peopleText } from '../../messages/people.en.js';
import { personAddress } from '../../model/people.js';
import type { Session } from '../../state/session.js';
import { Face } from './face.js';
import { usePersonNames } from './person-names.js';

interface PersonCardProps {
  session: Session;
  person: IndexedIdentity;
  isSelected: boolean;
  select: (on: boolean) => void;
  /** Answers whether that worked. */
  name: (label: string) => Promise<boolean>;
}

/** A face with its name, or with a field for one. */
export function PersonCard({ session, person, isSelected, select, name }: PersonCardProps) {
  const text = useMessages(peopleText);
  const nameOf = usePersonNames();
  const { label, merged } = person;
  const called = nameOf(person);
  return (
    <li class={isSelected ? 'person selected' : 'person'}>
      <a href={personAddress(person)} aria-label={called}>
        <Face person={person} />
      </a>
      {session.mayWrite && (
        <input
          type="checkbox"
          aria-label={text.select({ name: called })}
          checked={isSelected}
          onChange={({ currentTarget }) => select(currentTarget.checked)}
        />
      )}
      {label !== '' || !session.mayWrite ? (
        <p class="called">
          {called}
          {merged.length > 0 && <small>{text.ofSeveral(merged.length)}</small>}
        </p>
      ) : (
        <NameField person={person} name={name} />
      )}
    </li>
  );
}

/** Where an unknown person is given a name: Enter goes on to the next one. */
function NameField({ person, name }: { person: IndexedIdentity; name: (label: string) => Promise<boolean> }) {
  const text = useMessages(peopleText);
  const [label, setLabel] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const wanted = label.trim();
    if (wanted === '' || busy) return;
    const next = event.currentTarget instanceof Element ? nextField(event.currentTarget) : null;
    setBusy(true);
    const isDone = await name(wanted);
    setBusy(false);
    if (isDone) next?.focus();
  };
  return (
    <form class="naming" onSubmit={(event) => void submit(event)}>
      <input
        type="text"
        list="names"
        autocomplete="off"
        maxLength={255}
        aria-label={text.nameOf({ id: person.index_id })}
        placeholder={text.giveName}
        value={label}
        onInput={({ currentTarget }) => setLabel(currentTarget.value)}
      />
      {label.trim() !== '' && (
        <button type="submit" class="primary" disabled={busy}>
          {text.save}
        </button>
      )}
    </form>
  );
}

function nextField(form: Element): HTMLElement | null {
  const fields = [...document.querySelectorAll<HTMLElement>('.naming input')];
  return fields[fields.findIndex((field) => form.contains(field)) + 1] ?? null;
}
