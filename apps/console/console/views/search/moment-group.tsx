import type { SearchResult } from '@adit/client';
import { useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { searchText } from '../../messages/search.en.js';
import { keyOf, partsOf, type SourceMoments } from '../../model/moments.js';
import type { Previews } from '../../state/previews.js';
import { jobAddress } from '../../state/route.js';
import { useModuleNames } from '../module-names.js';
import { MovingPicture } from './moving-picture.js';

/** Moments of a source that are shown at first. */
const FIRST = 8;

interface MomentGroupProps {
  group: SourceMoments;
  /** Narrows the question to one job; left out where that is not asked for. */
  onlyJob?: ((jobId: string) => void) | undefined;
  previews: Previews;
  /** The moment that plays. */
  active: string | null;
  setActive: (key: string | null) => void;
}

/** What was found in one source. */
export function MomentGroup({ group, onlyJob, previews, active, setActive }: MomentGroupProps) {
  const text = useMessages(searchText);
  const [all, setAll] = useState(false);
  const { jobId, sourceIndex, sourceName, tag, moments } = group;
  const shown = all ? moments : moments.slice(0, FIRST);
  const more = moments.length - shown.length;
  return (
    <section class="moment-group" aria-label={sourceName}>
      <header>
        <h2>
          <a href={jobAddress(jobId, { source: sourceIndex })}>{sourceName}</a>
        </h2>
        <small>
          {tag !== '' && tag !== sourceName && `${tag} · `}
          {text.sourceMoments(moments.length)}
        </small>
        {onlyJob !== undefined && (
          <button
            type="button"
            class="quiet"
            aria-label={text.onlyThis({ name: sourceName })}
            onClick={() => onlyJob(jobId)}
          >
            {text.onlyThisShort}
          </button>
        )}
      </header>
      <ul class="moments" onKeyDown={moveFocus}>
        {shown.map((moment) => {
          const key = keyOf(moment);
          return <MomentCard key={key} {...{ moment, previews, isActive: key === active, setActive }} />;
        })}
      </ul>
      {more > 0 && (
        <button type="button" class="plain" onClick={() => setAll(true)}>
          {text.inSource(more)}
        </button>
      )}
    </section>
  );
}

interface MomentCardProps {
  moment: SearchResult;
  previews: Previews;
  isActive: boolean;
  setActive: (key: string | null) => void;
}

function MomentCard({ moment, previews, isActive, setActive }: MomentCardProps) {
  const text = useMessages(searchText);
  const nameOf = useModuleNames();
  const { thumbnail, matches, tc_start: time, exact } = moment;
  const key = keyOf(moment);
  const kind = nameOf(moment.module);
  const isStill = moment.media_type === 'image';
  // The same text may be there in two fields, such as a name in a caption.
  const shown = matches.filter((match, at) => matches.findIndex(({ text }) => text === match.text) === at).slice(0, 2);
  const address = jobAddress(moment.job_id, {
    source: moment.source_index,
    ...(!isStill && { at: moment.time_start }),
  });
  return (
    <li class="moment">
      <a
        href={address}
        onPointerEnter={({ pointerType }) => pointerType === 'mouse' && setActive(key)}
        onPointerLeave={() => isActive && setActive(null)}
        onFocus={() => setActive(key)}
        onBlur={() => isActive && setActive(null)}
      >
        <span class={thumbnail === null ? 'cover blank' : 'cover'}>
          {thumbnail !== null && <img src={`data:image/jpeg;base64,${thumbnail.image}`} alt="" loading="lazy" />}
          {isActive && <MovingPicture moment={moment} previews={previews} />}
          {!isStill && <b class="tc">{time}</b>}
        </span>
        <span class="what">
          {shown.map((match) => (
            <span key={match.text}>
              {partsOf(match).map((part, at) => (part.isAsked ? <mark key={at}>{part.text}</mark> : part.text))}
            </span>
          ))}
        </span>
        <small>
          {kind}
          {!exact && <i title={text.alikeHint}> · {text.alike}</i>}
        </small>
      </a>
    </li>
  );
}

/** Arrow keys, Home and End move from moment to moment. */
function moveFocus(event: KeyboardEvent): void {
  if (!(event.currentTarget instanceof Element) || event.ctrlKey || event.altKey || event.metaKey) return;
  const moments = [...event.currentTarget.querySelectorAll<HTMLElement>('.moment a')];
  const at = moments.findIndex((each) => each === document.activeElement);
  const last = moments.length - 1;
  const [next, before] = [Math.min(at + 1, last), Math.max(at - 1, 0)];
  const to = { ArrowRight: next, ArrowDown: next, ArrowLeft: before, ArrowUp: before, Home: 0, End: last }[event.key];
  if (to === undefined || at < 0) return;
  event.preventDefault();
  moments[to]?.focus();
}
