import type { IndexedIdentity } from '@adit/client';
import { useMemo, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { useMessages } from '../../messages/i18n.js';
import { peopleText } from '../../messages/people.en.js';
import { bySource } from '../../model/moments.js';
import { whoQuestion } from '../../model/people.js';
import { searchAddress } from '../../model/question.js';
import { Previews } from '../../state/previews.js';
import type { Search } from '../../state/search.js';
import type { Session } from '../../state/session.js';
import { faultMessage } from '../fault-text.js';
import { MistakeText } from '../search/mistake-text.js';
import { MomentGroup } from '../search/moment-group.js';

interface PersonMomentsProps {
  person: Pick<IndexedIdentity, 'label'>;
  session: Session;
  moments: Search;
}

/** Where somebody appears, over all jobs, by name. */
export function PersonMoments({ person: { label }, session, moments }: PersonMomentsProps) {
  useObserved(moments);
  const text = useMessages(peopleText);
  const [active, setActive] = useState<string | null>(null);
  const previews = useMemo(() => new Previews(session), [session]);
  const groups = useMemo(() => bySource(moments.results), [moments.results]);
  const { fault, mistake, loading } = moments;
  const isEmpty = fault === null && mistake === null && !loading && groups.length === 0;
  return (
    <section class="where found-moments">
      <h2>{text.where}</h2>
      {label === '' && <p class="soft">{text.whereUnnamed}</p>}
      {label !== '' && fault !== null && <p class="fault">{faultMessage(fault)}</p>}
      {label !== '' && mistake !== null && <MistakeText q={whoQuestion(label)} mistake={mistake} />}
      {label !== '' && isEmpty && <p class="soft">{text.whereNone}</p>}
      {label !== '' &&
        groups.map((group) => <MomentGroup key={group.key} {...{ group, previews, active, setActive }} />)}
      {label !== '' && groups.length > 0 && <a href={searchAddress({ q: whoQuestion(label) })}>{text.whereAll}</a>}
    </section>
  );
}
