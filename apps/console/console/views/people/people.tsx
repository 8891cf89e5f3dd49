import type { IndexedIdentity } from '@adit/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useKeptPlace } from '../../../shared/kept-place.js';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { useMessages } from '../../messages/i18n.js';
import { peopleText } from '../../messages/people.en.js';
import { peopleAddress, type PeopleFilter } from '../../model/people.js';
import type { Notices } from '../../state/notices.js';
import type { People } from '../../state/people.js';
import type { Route } from '../../state/route.js';
import type { Session } from '../../state/session.js';
import { ActButton, attempt } from '../act-button.js';
import { faultMessage } from '../fault-text.js';
import { MergeDialog } from './merge-dialog.js';
import { PeopleFilters } from './people-filters.js';
import { PeopleSections } from './people-sections.js';
import { PersonCard } from './person-card.js';

export interface PeoplePageProps {
  session: Session;
  route: Route;
  notices: Notices;
  people: People;
  collection: string;
  filter: PeopleFilter;
}

/** Everybody in a face index, to be named and merged. */
export function PeoplePage({ session, route, notices, people, collection, filter }: PeoplePageProps) {
  useObserved(people);
  const text = useMessages(peopleText);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  const wanted = peopleAddress(collection, filter);
  // Back from a person the list is still there.
  useEffect(() => void people.show(collection, filter), [people, wanted]);
  const page = useRef<HTMLDivElement>(null);
  useKeptPlace(people, page);
  const [selected, setSelected] = useState<readonly string[]>([]);
  useEffect(() => setSelected([]), [wanted]);
  const chosen = people.people.filter(({ index_id: id }) => selected.includes(id));
  const name = async (who: readonly IndexedIdentity[], label: string): Promise<boolean> =>
    attempt({ session, notices }, async () => {
      const shown = await people.name(who, label);
      setSelected([]);
      const isMerged = who.length > 1 || shown.index_id !== who[0]?.index_id;
      const done = isMerged ? text.merged : text.saved;
      const undo = (): void =>
        void attempt({ session, notices }, async () => {
          await people.restore(who);
          notices.say(text.undone);
        });
      notices.say(done({ name: label }), { action: { label: text.undo, act: undo } });
    });
  return (
    <div class="page people" ref={page}>
      <PeopleSections page="people" />
      <header class="heading">
        <h1>{text.title}</h1>
        <span class="soft count">{text.count(people.total)}</span>
        <PeopleFilters {...{ people, collection, filter, route }} />
      </header>
      {chosen.length > 0 && <Selection {...{ session, notices, chosen, name, setSelected }} />}
      <ul class="persons">
        {people.people.map((person) => {
          const { index_id: id } = person;
          const isSelected = selected.includes(id);
          const select = (on: boolean): void =>
            setSelected((before) => (on ? [...before, id] : before.filter((each) => each !== id)));
          return (
            <PersonCard key={id} {...{ session, person, isSelected, select }} name={(label) => name([person], label)} />
          );
        })}
      </ul>
      <ListEnd {...{ people, filter }} />
      <datalist id="names">
        {[...new Set(people.people.map(({ label }) => label))].map(
          (label) => label !== '' && <option key={label} value={label} />,
        )}
      </datalist>
    </div>
  );
}

interface SelectionProps {
  session: Session;
  notices: Notices;
  chosen: readonly IndexedIdentity[];
  name: (who: readonly IndexedIdentity[], label: string) => Promise<boolean>;
  setSelected: (ids: readonly string[]) => void;
}

/** What can be done with those who were selected. */
function Selection({ session, notices, chosen, name, setSelected }: SelectionProps) {
  const text = useMessages(peopleText);
  const [merges, setMerges] = useState(false);
  return (
    <div class="selection">
      <span role="status">{text.selected(chosen.length)}</span>
      {chosen.length > 1 && <ActButton {...{ session, notices, label: text.merge, act: () => setMerges(true) }} />}
      <button type="button" class="quiet" onClick={() => setSelected([])}>
        {text.clear}
      </button>
      {merges && (
        <MergeDialog
          people={chosen}
          onClose={() => setMerges(false)}
          onMerge={(label) => {
            setMerges(false);
            void name(chosen, label);
          }}
        />
      )}
    </div>
  );
}

function ListEnd({ people, filter }: { people: People; filter: PeopleFilter }) {
  const text = useMessages(peopleText);
  const shell = useMessages(shellText);
  const { fault, loading, hasMore } = people;
  const isFiltered = filter.search !== '' || filter.named !== null;
  return (
    <>
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void people.more()}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {loading && people.people.length === 0 && <p class="soft center">{text.loading}</p>}
      {hasMore && (
        <p class="center">
          <button type="button" disabled={loading} onClick={() => void people.more()}>
            {text.more}
          </button>
        </p>
      )}
      {!loading && fault === null && people.people.length === 0 && (
        <div class="empty">
          <p>{isFiltered ? text.noMatch : text.none}</p>
          {!isFiltered && <p class="soft">{text.noneHint}</p>}
        </div>
      )}
    </>
  );
}
