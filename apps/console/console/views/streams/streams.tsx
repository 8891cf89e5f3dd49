import type { LiveStream } from '@adit/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { language, useMessages } from '../../messages/i18n.js';
import { streamsText } from '../../messages/streams.en.js';
import { dateText, durationText } from '../../model/time.js';
import type { Notices } from '../../state/notices.js';
import { streamAddress, type Route } from '../../state/route.js';
import type { Session } from '../../state/session.js';
import { Streams } from '../../state/streams.js';
import { ActButton } from '../act-button.js';
import { faultMessage } from '../fault-text.js';
import { StreamCondition } from './condition.js';
import { NewStreamDialog } from './new-stream-dialog.js';
import { TableHead } from '../table-head.js';

export interface StreamsPageProps {
  session: Session;
  route: Route;
  notices: Notices;
}

/** The live streams of the workspace. */
export function StreamsPage({ session, route, notices }: StreamsPageProps) {
  const streams = useMemo(() => new Streams(session), [session]);
  useObserved(streams);
  const text = useMessages(streamsText);
  const shell = useMessages(shellText);
  const [starts, setStarts] = useState(false);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  useEffect(() => {
    const ends = new AbortController();
    streams.follow(ends.signal);
    return () => ends.abort();
  }, [streams]);
  const { active, ended, fault, live } = streams;
  return (
    <div class="page streams-page">
      <header class="heading">
        <h1>{text.title}</h1>
        {active !== null && <span class="soft count">{text.count(active.length)}</span>}
        <span class={`live ${live}`} role="status">
          {live === 'live' ? text.live : live === 'offline' ? text.offline : text.connectingPage}
        </span>
        <div class="actions">
          <ActButton {...{ session, notices, label: text.start, kind: 'primary', act: () => setStarts(true) }} />
        </div>
      </header>
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void streams.read()}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {active === null && fault === null && <p class="soft">{text.loading}</p>}
      {active !== null && active.length === 0 && <p class="empty">{text.none}</p>}
      {active !== null && active.length > 0 && <StreamTable streams={active} rates={streams.rates} />}
      {ended.length > 0 && (
        <section aria-label={text.ended}>
          <h2>{text.ended}</h2>
          <StreamTable streams={ended} rates={streams.rates} />
        </section>
      )}
      {starts && (
        <NewStreamDialog
          {...{ session, streams }}
          onClose={() => setStarts(false)}
          onStarted={({ id, tag, source_names: [name = ''] }) => {
            setStarts(false);
            notices.say(text.started({ name: tag || name }));
            route.go(streamAddress(id));
          }}
        />
      )}
    </div>
  );
}

function StreamTable({ streams, rates }: { streams: readonly LiveStream[]; rates: ReadonlyMap<string, number> }) {
  const text = useMessages(streamsText);
  return (
    <table class="list rows-list">
      <TableHead names={[text.name, text.condition, text.lag, text.rate, text.gaps, text.results]} />
      <tbody>
        {streams.map((stream) => (
          <tr key={stream.job_id}>
            <th scope="row">
              <a href={streamAddress(stream.job_id)}>{stream.tag || stream.source_name}</a>
              <small>{stream.source}</small>
            </th>
            <td>
              <StreamCondition stream={stream} />
              {stream.recorded && <small>{text.recorded}</small>}
            </td>
            <td>
              {stream.lag === null
                ? dateText(Date.parse(stream.time_created), language.get())
                : durationText(stream.lag)}
            </td>
            <td>
              <Rate rate={rates.get(stream.job_id) ?? stream.frame_rate} />
            </td>
            <td>
              {stream.gap_count === 0
                ? text.noGap
                : text.gapsOf({ number: stream.gap_count, time: durationText(stream.gap_seconds) })}
            </td>
            <td>{stream.segment_count}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Pictures of a second. */
export function Rate({ rate }: { rate: number | null }) {
  const text = useMessages(streamsText);
  if (rate === null) return <>–</>;
  const written = new Intl.NumberFormat(language.get(), { maximumFractionDigits: 1 }).format(rate);
  return <>{text.perSecond({ rate: written })}</>;
}
