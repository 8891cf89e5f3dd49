import type { Erasure, IndexedIdentity } from '@adit/client';
import { AditApiError } from '@adit/client';
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { language, useMessages } from '../../messages/i18n.js';
import { peopleText } from '../../messages/people.en.js';
import { personAddress } from '../../model/people.js';
import { dateText } from '../../model/time.js';
import type { Notices } from '../../state/notices.js';
import type { People } from '../../state/people.js';
import { Person } from '../../state/person.js';
import type { Route } from '../../state/route.js';
import type { Session } from '../../state/session.js';
import { ActButton, attempt } from '../act-button.js';
import { Face } from './face.js';
import { faultMessage } from '../fault-text.js';
import { ForgetDialog, ReceiptDialog } from './forget-dialogs.js';
import { usePersonNames } from './person-names.js';
import { PersonMoments } from './person-moments.js';

export interface PersonPageProps {
  session: Session;
  route: Route;
  notices: Notices;
  people: People;
  collection: string;
  indexId: string;
}

/** One person of a face index. */
export function PersonPage({ session, route, notices, people, collection, indexId }: PersonPageProps) {
  const text = useMessages(peopleText);
  const nameOf = usePersonNames();
  const shown = useMemo(() => new Person(session, people, collection, indexId), [session, people, collection, indexId]);
  useObserved(shown);
  useEffect(() => void shown.read(), [shown]);
  const [receipt, setReceipt] = useState<Erasure | null>(null);
  const { person, fault } = shown;
  const called = person === null ? '' : nameOf(person);
  useEffect(() => void (document.title = called === '' ? 'Adit' : `${called} · Adit`), [called]);
  const list = people.addressIn(collection);
  return (
    <div class="page one-person">
      <nav class="back" aria-label={text.back}>
        <a href={list}>← {text.back}</a>
      </nav>
      {fault !== null && (
        <p class="fault" role="alert">
          {fault instanceof AditApiError && fault.status === 404 ? text.notFound : faultMessage(fault)}
        </p>
      )}
      {person === null && fault === null && <p class="soft">{text.loading}</p>}
      {person !== null && (
        <>
          <PersonHead {...{ session, route, notices, people, shown, person, setReceipt }} />
          <MergedPeople {...{ session, notices, shown, person }} />
          <PersonMoments person={person} session={session} moments={shown.moments} />
        </>
      )}
      {receipt !== null && <ReceiptDialog {...{ session, receipt }} onClose={() => route.go(list)} />}
    </div>
  );
}

interface PersonPartProps {
  session: Session;
  notices: Notices;
  shown: Person;
  person: IndexedIdentity;
}

interface PersonHeadProps extends PersonPartProps {
  route: Route;
  people: People;
  setReceipt: (receipt: Erasure) => void;
}

function PersonHead({ session, route, notices, people, shown, person, setReceipt }: PersonHeadProps) {
  const text = useMessages(peopleText);
  const nameOf = usePersonNames();
  const [asks, setAsks] = useState(false);
  const called = nameOf(person);
  const name = async (label: string): Promise<void> => {
    await attempt({ session, notices }, async () => {
      const now = await shown.name(label);
      const isOther = now.index_id !== person.index_id;
      const done = label === '' ? text.unnamedNow : (isOther ? text.merged : text.saved)({ name: label });
      const undo = (): void =>
        void attempt({ session, notices }, async () => {
          await shown.restore([person]);
          if (isOther) route.replace(personAddress(person));
          notices.say(text.undone);
        });
      notices.say(done, { action: { label: text.undo, act: undo } });
      if (isOther) route.replace(personAddress(now));
    });
  };
  return (
    <header class="person-head">
      <Face person={person} />
      <div>
        <h1>{called}</h1>
        <p class="soft">
          {text.firstSeen({ time: dateText(Date.parse(person.time_created), language.get()) })} · {person.index_id}
          {person.thumbnail === null && ` · ${text.noPicture}`}
        </p>
        {session.mayWrite && <NameForm key={person.label} person={person} name={name} />}
        <ActButton {...{ session, notices, label: text.forget, kind: 'danger', act: () => setAsks(true) }} />
      </div>
      {asks && (
        <ForgetDialog
          name={called}
          onClose={() => setAsks(false)}
          onForget={() =>
            void attempt({ session, notices }, async () => {
              setReceipt(await people.forget(person));
            })
          }
        />
      )}
    </header>
  );
}

function NameForm({ person, name }: { person: IndexedIdentity; name: (label: string) => Promise<void> }) {
  const text = useMessages(peopleText);
  const id = useId();
  const [label, setLabel] = useState(person.label);
  return (
    <form
      class="name-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (label.trim() !== person.label) void name(label.trim());
      }}
    >
      <label for={id}>{text.name}</label>
      <input
        id={id}
        type="text"
        autocomplete="off"
        maxLength={255}
        value={label}
        onInput={({ currentTarget }) => setLabel(currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={label.trim() === person.label}>
        {text.save}
      </button>
    </form>
  );
}

/** Those who were merged into the person; each can be somebody else again. */
function MergedPeople({ session, notices, shown, person }: PersonPartProps) {
  const text = useMessages(peopleText);
  if (person.merged.length === 0) return null;
  const split = (id: string): Promise<boolean> =>
    attempt({ session, notices }, async () => {
      await shown.split(id);
      const undo = (): void =>
        void attempt({ session, notices }, async () => {
          await shown.restore([person]);
          notices.say(text.undone);
        });
      notices.say(text.splitDone({ id }), { action: { label: text.undo, act: undo } });
    });
  return (
    <section class="merged">
      <h2>{text.mergedTitle}</h2>
      <ul>
        {person.merged.map((id) => (
          <li key={id}>
            {id}{' '}
            <ActButton
              {...{ session, notices, label: text.split, title: text.splitOf({ id }), act: () => void split(id) }}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
