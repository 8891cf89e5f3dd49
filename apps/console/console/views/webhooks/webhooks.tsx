import type { Webhook } from '@adit/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { language, useMessages } from '../../messages/i18n.js';
import { eventText, webhooksText } from '../../messages/webhooks.en.js';
import { dateText } from '../../model/time.js';
import type { Notices } from '../../state/notices.js';
import { webhookAddress } from '../../state/route.js';
import type { Session } from '../../state/session.js';
import { Webhooks } from '../../state/webhooks.js';
import { ActButton } from '../act-button.js';
import { faultMessage } from '../fault-text.js';
import { DeleteWebhookDialog, WebhookDialog } from './webhook-dialogs.js';
import { TableHead } from '../table-head.js';

export interface WebhooksPageProps {
  session: Session;
  notices: Notices;
}

type Asked = { act: 'add' } | { act: 'edit' | 'remove'; webhook: Webhook };

/** Who is told what. */
export function WebhooksPage({ session, notices }: WebhooksPageProps) {
  const webhooks = useMemo(() => new Webhooks(session), [session]);
  useObserved(webhooks);
  const text = useMessages(webhooksText);
  const shell = useMessages(shellText);
  const [asked, setAsked] = useState<Asked | null>(null);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  useEffect(() => void webhooks.read(), [webhooks]);
  const { webhooks: all, fault } = webhooks;
  const close = (): void => setAsked(null);
  return (
    <div class="page webhooks-page">
      <header class="heading">
        <h1>{text.title}</h1>
        {all !== null && <span class="soft count">{text.count(all.length)}</span>}
        <div class="actions">
          <ActButton {...{ session, notices, label: text.add, kind: 'primary', act: () => setAsked({ act: 'add' }) }} />
        </div>
      </header>
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void webhooks.read()}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {all === null && fault === null && <p class="soft">{text.loading}</p>}
      {all !== null && all.length === 0 && <p class="empty">{text.none}</p>}
      {all !== null && all.length > 0 && <WebhookTable {...{ session, notices, all, setAsked }} />}
      {asked !== null && asked.act !== 'remove' && (
        <WebhookDialog
          {...{ session, notices, webhooks }}
          webhook={asked.act === 'edit' ? asked.webhook : null}
          onClose={close}
        />
      )}
      {asked?.act === 'remove' && (
        <DeleteWebhookDialog {...{ session, notices, webhooks, webhook: asked.webhook, onClose: close }} />
      )}
    </div>
  );
}

interface WebhookTableProps {
  session: Session;
  notices: Notices;
  all: readonly Webhook[];
  setAsked: (asked: Asked) => void;
}

function WebhookTable({ session, notices, all, setAsked }: WebhookTableProps) {
  const text = useMessages(webhooksText);
  const events = useMessages(eventText);
  return (
    <table class="list keys">
      <TableHead names={[text.address, text.event, text.state, text.created, text.actions]} />
      <tbody>
        {all.map((webhook) => (
          <tr key={webhook.id}>
            <th scope="row">
              <a href={webhookAddress(webhook.id)}>{webhook.url}</a>
              {webhook.description !== '' && <small>{webhook.description}</small>}
            </th>
            <td>
              {events[webhook.event]}
              <small>{webhook.event}</small>
            </td>
            <td>
              <WebhookState webhook={webhook} />
            </td>
            <td>{dateText(Date.parse(webhook.time_created), language.get())}</td>
            <td class="actions-cell">
              <ActButton
                {...{ session, notices, label: text.edit, title: text.editOf({ address: webhook.url }) }}
                act={() => setAsked({ act: 'edit', webhook })}
              />{' '}
              <ActButton
                {...{ session, notices, label: text.remove, title: text.removeOf({ address: webhook.url }) }}
                kind="quiet"
                act={() => setAsked({ act: 'remove', webhook })}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function WebhookState({ webhook: { enabled, disabled_reason: reason } }: { webhook: Webhook }) {
  const text = useMessages(webhooksText);
  if (enabled) return <span class="condition good">{text.on}</span>;
  if (reason === null) return <span class="condition ended">{text.off}</span>;
  return <span class="condition late">{text.disabled({ reason })}</span>;
}
