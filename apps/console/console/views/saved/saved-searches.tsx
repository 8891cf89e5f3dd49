import type { SavedSearch } from '@adit/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { useMessages } from '../../messages/i18n.js';
import { savedText } from '../../messages/saved.en.js';
import { isOpen as asksNothing, queryOf, type Question } from '../../model/question.js';
import { addressOfSaved, isNarrower } from '../../model/saved-search.js';
import type { Notices } from '../../state/notices.js';
import { SavedSearches } from '../../state/saved-searches.js';
import type { Session } from '../../state/session.js';
import { ActButton, attempt } from '../act-button.js';
import { faultMessage } from '../fault-text.js';
import { FormDialog } from '../forms/form-dialog.js';
import { NewestMatches } from './newest-matches.js';
import { MatchWebhooks } from './match-webhooks.js';

interface SavedSearchesPanelProps {
  session: Session;
  notices: Notices;
  question: Question;
}

/** Questions that the workspace keeps, what they have found lately, and who is told of it. */
export function SavedSearchesPanel({ session, notices, question }: SavedSearchesPanelProps) {
  const text = useMessages(savedText);
  const shell = useMessages(shellText);
  const saved = useMemo(() => new SavedSearches(session), [session]);
  useObserved(saved);
  const [saves, setSaves] = useState(false);
  useEffect(() => {
    const ends = new AbortController();
    void saved.follow(ends.signal);
    return () => ends.abort();
  }, [saved]);
  const { searches, fault } = saved;
  const refused = asksNothing(question) ? text.nothingAsked : undefined;
  return (
    <div class="saved">
      <p class="actions">
        <ActButton {...{ session, notices, refused, label: text.save, act: () => setSaves(true) }} />
      </p>
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void saved.read()}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {searches === null && fault === null && <p class="soft">{text.loading}</p>}
      {searches?.length === 0 && <p class="soft">{text.none}</p>}
      <ul class="saved-searches">
        {searches?.map((search) => (
          <SavedItem key={search.id} {...{ session, notices, saved, search }} />
        ))}
      </ul>
      {searches !== null && searches.length > 0 && <MatchWebhooks {...{ session, notices, saved }} />}
      {saves && (
        <FormDialog
          {...{ session, title: text.saveTitle, submitLabel: text.submit, onClose: () => setSaves(false) }}
          fields={[
            { name: 'name', label: text.name, value: question.q, required: true },
            { name: 'alert', label: text.alert, hint: text.alertHint, kind: 'check', value: 'yes' },
          ]}
          submit={async ({ name = '', alert }) => {
            await saved.save({ name, alert: alert === 'yes', ...queryOf(question) });
            notices.say(text.saved({ name }));
          }}
        />
      )}
    </div>
  );
}

interface SavedItemProps {
  session: Session;
  notices: Notices;
  saved: SavedSearches;
  search: SavedSearch;
}

function SavedItem({ session, notices, saved, search }: SavedItemProps) {
  const text = useMessages(savedText);
  const [edits, setEdits] = useState(false);
  const { id, name, alert } = search;
  const isOpen = saved.opened === id;
  const fresh = saved.fresh.get(id) ?? 0;
  const same = { session, notices };
  const remove = (): Promise<boolean> =>
    attempt(same, async () => {
      await saved.remove(id);
      const again = (): void => void attempt(same, () => saved.saveAgain(search));
      notices.say(text.removed({ name }), { action: { label: text.undo, act: again } });
    });
  return (
    <li>
      <a href={addressOfSaved(search)} aria-label={text.open({ name })}>
        {name}
      </a>
      <small>{[!alert && text.silent, isNarrower(search) && text.narrower].filter(Boolean).join(', ')}</small>
      {fresh > 0 && <b class="fresh">{text.fresh(fresh)}</b>}
      <span class="actions">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={text.newestOf({ name })}
          onClick={() => void saved.open(isOpen ? null : id)}
        >
          {text.newest}
        </button>
        <ActButton {...same} label={text.edit} title={text.editOf({ name })} act={() => setEdits(true)} />
        <ActButton {...same} label={text.remove} title={text.removeOf({ name })} act={() => void remove()} />
      </span>
      {isOpen && <NewestMatches saved={saved} />}
      {edits && (
        <FormDialog
          {...{ session, title: text.editOf({ name }), submitLabel: text.submit, onClose: () => setEdits(false) }}
          fields={[
            { name: 'name', label: text.name, value: name, required: true },
            { name: 'alert', label: text.alert, hint: text.alertHint, kind: 'check', value: alert ? 'yes' : '' },
          ]}
          submit={(values) => saved.replace(search, { name: values['name'] ?? '', alert: values['alert'] === 'yes' })}
        />
      )}
    </li>
  );
}
