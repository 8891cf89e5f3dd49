import { AditApiError, type Webhook, type WebhookAttempt } from '@adit/client';
import { useEffect, useMemo } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { language, useMessages } from '../../messages/i18n.js';
import { eventText, webhooksText } from '../../messages/webhooks.en.js';
import { dateText, durationText } from '../../model/time.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import { WebhookDetail } from '../../state/webhook-detail.js';
import { ActButton, attempt } from '../act-button.js';
import { faultMessage } from '../fault-text.js';
import { WebhookState } from './webhooks.js';
import { TableHead } from '../table-head.js';

export interface WebhookPageProps {
  session: Session;
  notices: Notices;
  webhookId: string;
}

/** One webhook, with what was sent and what was answered. */
export function WebhookPage({ session, notices, webhookId }: WebhookPageProps) {
  const text = useMessages(webhooksText);
  const events = useMessages(eventText);
  const detail = useMemo(() => new WebhookDetail(session, webhookId), [session, webhookId]);
  useObserved(detail);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  useEffect(() => {
    const ends = new AbortController();
    detail.follow(ends.signal);
    return () => ends.abort();
  }, [detail]);
  const { webhook, attempts, fault } = detail;
  return (
    <div class="page one-webhook">
      <nav class="back" aria-label={text.back}>
        <a href="#/webhooks">← {text.back}</a>
      </nav>
      {webhook === null && <h1>{text.title}</h1>}
      {fault !== null && (
        <p class="fault" role="alert">
          {fault instanceof AditApiError && fault.status === 404 ? text.notFound : faultMessage(fault)}
        </p>
      )}
      {webhook === null && fault === null && <p class="soft">{text.loading}</p>}
      {webhook !== null && (
        <>
          <header class="heading">
            <h1>{webhook.url}</h1>
            <WebhookState webhook={webhook} />
            <span class="soft">{events[webhook.event]}</span>
            <WebhookActions {...{ session, notices, detail, webhook }} />
          </header>
          <h2>{text.log}</h2>
          {attempts !== null && attempts.length === 0 && <p class="soft">{text.noLog}</p>}
          {attempts !== null && attempts.length > 0 && (
            <AttemptTable {...{ session, notices, detail, webhook, attempts }} />
          )}
          {attempts !== null && detail.total > attempts.length && (
            <button type="button" onClick={() => void detail.more()}>
              {text.more}
            </button>
          )}
        </>
      )}
    </div>
  );
}

interface WebhookActionsProps {
  session: Session;
  notices: Notices;
  detail: WebhookDetail;
  webhook: Webhook;
}

function WebhookActions({ session, notices, detail, webhook }: WebhookActionsProps) {
  const text = useMessages(webhooksText);
  const enable = (): void =>
    void attempt({ session, notices }, async () => {
      await detail.enable();
      notices.say(text.switchedOn);
    });
  const test = (): void =>
    void attempt({ session, notices }, async () => {
      await detail.test();
      notices.say(text.tested);
    });
  const refused = webhook.enabled ? undefined : text.isOff;
  return (
    <div class="actions">
      {!webhook.enabled && <ActButton {...{ session, notices, label: text.enable, act: enable }} />}
      <ActButton {...{ session, notices, label: text.test, refused, act: test }} />
    </div>
  );
}

interface AttemptTableProps {
  session: Session;
  notices: Notices;
  detail: WebhookDetail;
  webhook: Webhook;
  attempts: readonly WebhookAttempt[];
}

function AttemptTable({ session, notices, detail, webhook, attempts }: AttemptTableProps) {
  const text = useMessages(webhooksText);
  const replay = (each: WebhookAttempt): void =>
    void attempt({ session, notices }, async () => {
      await detail.replay(each);
      notices.say(text.replayed);
    });
  return (
    <table class="list keys attempts">
      <TableHead names={[text.time, text.delivery, text.answer, text.state, text.actions]} />
      <tbody>
        {attempts.map((each) => (
          <tr key={each.id}>
            <th scope="row">
              {dateText(Date.parse(each.time_started), language.get())}
              <small>{text.attempt({ number: each.attempt })}</small>
            </th>
            <td>
              {each.event}
              <small>{each.message_id}</small>
            </td>
            <td>
              <Answer attempt={each} />
            </td>
            <td>
              <MessageState attempt={each} />
            </td>
            <td class="actions-cell">
              <ActButton
                {...{ session, notices, label: text.replay }}
                title={text.replayOf({ event: each.event, number: each.attempt })}
                refused={webhook.enabled ? undefined : text.isOff}
                act={() => replay(each)}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Answer({ attempt: { status, duration, error, response } }: { attempt: WebhookAttempt }) {
  const text = useMessages(webhooksText);
  return (
    <>
      {status ?? text.noAnswer} <span class="soft">{text.took({ time: durationText(duration) })}</span>
      {error !== null && <p class="why-failed">{error}</p>}
      {response !== null && response !== '' && (
        <details>
          <summary>{text.body}</summary>
          <pre tabIndex={0}>{response}</pre>
        </details>
      )}
    </>
  );
}

function MessageState({ attempt: { state, time_next: next } }: { attempt: WebhookAttempt }) {
  const text = useMessages(webhooksText);
  const kind = { delivered: 'good', pending: 'behind', failed: 'late', gone: 'late' }[state];
  const words =
    state === 'pending' && next !== null
      ? text.pendingAt({ time: dateText(Date.parse(next), language.get()) })
      : text[state];
  return <span class={`condition ${kind}`}>{words}</span>;
}
