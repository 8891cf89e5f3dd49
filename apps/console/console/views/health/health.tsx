import type { HealthProblem, InstallationHealth } from '@adit/client';
import { useEffect, useMemo } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { healthText, problemText } from '../../messages/health.en.js';
import { language, useMessages } from '../../messages/i18n.js';
import { bytesText } from '../../model/bytes.js';
import { dateText } from '../../model/time.js';
import { Health } from '../../state/health.js';
import type { Session } from '../../state/session.js';
import { faultMessage } from '../fault-text.js';
import { InstallationLoads } from './installation-loads.js';
import { SimpleTable } from './simple-table.js';

/** What runs, what lags, and what to do. */
export function HealthPage({ session }: { session: Session }) {
  const text = useMessages(healthText);
  const shell = useMessages(shellText);
  const state = useMemo(() => new Health(session), [session]);
  useObserved(state);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  useEffect(() => {
    const ends = new AbortController();
    state.follow(ends.signal);
    return () => ends.abort();
  }, [state]);
  const { health, disk, fault } = state;
  return (
    <div class="page health-page">
      <header class="heading">
        <h1>{text.title}</h1>
        {health !== null && (
          <span class="soft">{text.looked({ time: dateText(Date.parse(health.time), language.get()) })}</span>
        )}
        {session.mayManage && (
          <div class="actions">
            <button type="button" onClick={() => void state.read()}>
              {text.again}
            </button>
          </div>
        )}
      </header>
      {!session.mayManage && <p class="empty">{text.cannotSee}</p>}
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void state.read()}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {session.mayManage && health === null && fault === null && <p class="soft">{text.loading}</p>}
      {health !== null && (
        <>
          <Problems problems={health.problems} />
          <div class="parts">
            <Services health={health} />
            <Dependencies health={health} />
            <WorkspaceLoad health={health} />
            {health.installation === null ? (
              <p class="part soft">{text.ownersOnly}</p>
            ) : (
              <InstallationLoads load={health.installation} disk={disk} />
            )}
          </div>
        </>
      )}
    </div>
  );
}

function Problems({ problems }: { problems: readonly HealthProblem[] }) {
  const text = useMessages(healthText);
  const words = useMessages(problemText);
  if (problems.length === 0) return <p class="fine">{text.fine}</p>;
  return (
    <section class="part problems" aria-label={text.problems}>
      <h2>{text.problems}</h2>
      <ul>
        {problems.map(({ code, about, message }, at) => (
          // A newer service may know of more.
          <li key={at}>{Object.hasOwn(words, code) ? words[code]({ about }) : message}</li>
        ))}
      </ul>
    </section>
  );
}

function Dependencies({ health: { dependencies } }: { health: InstallationHealth }) {
  const text = useMessages(healthText);
  return (
    <section class="part" aria-label={text.needs}>
      <h2>{text.needs}</h2>
      <SimpleTable
        columns={[text.name, text.state, text.took]}
        rows={dependencies.map(({ name, ok, reason, duration }) => [
          name,
          <>
            <span class={`condition ${ok ? 'good' : 'late'}`}>{ok ? text.answers : text.away}</span>
            {reason !== null && <small>{reason}</small>}
          </>,
          `${Math.round(duration * 1000)} ms`,
        ])}
      />
    </section>
  );
}

function Services({ health: { services } }: { health: InstallationHealth }) {
  const text = useMessages(healthText);
  return (
    <section class="part" aria-label={text.runs}>
      <h2>{text.runs}</h2>
      {services.length === 0 ? (
        <p class="soft">{text.noService}</p>
      ) : (
        <SimpleTable
          columns={[text.service, text.version, text.processes]}
          rows={services.map(({ service, version, processes }) => [service, version, processes])}
        />
      )}
    </section>
  );
}

function WorkspaceLoad({ health: { workspace } }: { health: InstallationHealth }) {
  const text = useMessages(healthText);
  const { storage_used: used, storage_bytes: limit } = workspace;
  const size = (bytes: number): string => bytesText(bytes, language.get());
  const facts: [string, string | number][] = [
    [text.jobsWaiting, workspace.jobs_waiting],
    [text.jobsProcessing, workspace.jobs_processing],
    [text.streamsReading, workspace.streams_reading],
    [text.streamsWaiting, workspace.streams_waiting],
    [text.webhooksDisabled, workspace.webhooks_disabled],
    [text.storage, limit === null ? size(used) : text.storageOf({ used: size(used), limit: size(limit) })],
  ];
  return (
    <section class="part" aria-label={text.workspace}>
      <h2>{text.workspace}</h2>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
