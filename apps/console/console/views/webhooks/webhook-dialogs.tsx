import { AditApiError, type ResourceEventName, type Webhook } from '@adit/client';
import { useId, useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { eventText, webhooksText } from '../../messages/webhooks.en.js';
import { newSecret } from '../../model/webhook-secret.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import type { Webhooks } from '../../state/webhooks.js';
import { attempt } from '../act-button.js';
import { AskDialog } from '../forms/ask-dialog.js';
import { faultMessage } from '../fault-text.js';

interface WebhookDialogProps {
  session: Session;
  notices: Notices;
  webhooks: Webhooks;
  /** The one that is changed; null to add one. */
  webhook: Webhook | null;
  onClose: () => void;
}

const FIRST_EVENT: ResourceEventName = 'svc.job.on_completed';

/** Adds a webhook or changes one. What the service refuses is told beside the address. */
export function WebhookDialog({ session, notices, webhooks, webhook, onClose }: WebhookDialogProps) {
  const text = useMessages(webhooksText);
  const id = useId();
  const [event, setEvent] = useState(webhook?.event ?? FIRST_EVENT);
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [secret, setSecret] = useState(webhook === null ? newSecret : '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [enabled, setEnabled] = useState(webhook?.enabled ?? true);
  const [fault, setFault] = useState<{ field: 'url' | 'secret' | 'other'; message: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    const asked = { event, url: url.trim(), description: description.trim(), enabled };
    if (webhook !== null) {
      await webhooks.change(webhook, { ...asked, ...(secret !== '' && { hmac_secret: secret }) });
      return notices.say(text.changed);
    }
    const made = await webhooks.add({ ...asked, hmac_secret: secret });
    session.showSecret({
      name: text.secretName({ address: made.url }),
      parts: [[text.secret, made.hmac_secret ?? secret]],
    });
    notices.say(text.added);
  };
  const submit = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      await send();
      onClose();
    } catch (error) {
      session.notice(error);
      setFault(faultOf(error));
      setBusy(false);
    }
  };
  return (
    <AskDialog
      {...{ busy, onClose }}
      title={webhook === null ? text.addTitle : text.editTitle}
      submit={webhook === null ? text.addSubmit : text.editSubmit}
      onSubmit={() => void submit()}
    >
      <label for={`${id}-url`}>{text.address}</label>
      <input
        id={`${id}-url`}
        name="url"
        type="url"
        required
        autofocus
        autocomplete="off"
        maxLength={2048}
        aria-describedby={`${id}-url-hint${fault?.field === 'url' ? ` ${id}-fault` : ''}`}
        aria-invalid={fault?.field === 'url'}
        value={url}
        onInput={({ currentTarget }) => setUrl(currentTarget.value)}
      />
      <small id={`${id}-url-hint`}>{text.addressHint}</small>
      {fault?.field === 'url' && <Fault id={id} message={fault.message} />}
      <EventField {...{ id: `${id}-event`, event, setEvent }} />
      <label for={`${id}-secret`}>{text.secret}</label>
      <input
        id={`${id}-secret`}
        name="hmac_secret"
        type="text"
        required={webhook === null}
        autocomplete="off"
        spellcheck={false}
        maxLength={256}
        aria-describedby={`${id}-secret-hint${fault?.field === 'secret' ? ` ${id}-fault` : ''}`}
        aria-invalid={fault?.field === 'secret'}
        value={secret}
        onInput={({ currentTarget }) => setSecret(currentTarget.value)}
      />
      <small id={`${id}-secret-hint`}>{webhook === null ? text.secretHint : text.secretKept}</small>
      {fault?.field === 'secret' && <Fault id={id} message={fault.message} />}
      <label for={`${id}-description`}>{text.description}</label>
      <input
        id={`${id}-description`}
        name="description"
        type="text"
        autocomplete="off"
        maxLength={1000}
        value={description}
        onInput={({ currentTarget }) => setDescription(currentTarget.value)}
      />
      <label class="check">
        <input
          name="enabled"
          type="checkbox"
          checked={enabled}
          onChange={({ currentTarget }) => setEnabled(currentTarget.checked)}
        />
        <span>{text.enabled}</span>
      </label>
      {fault?.field === 'other' && <Fault id={id} message={fault.message} />}
    </AskDialog>
  );
}

interface EventFieldProps {
  id: string;
  event: ResourceEventName;
  setEvent: (event: ResourceEventName) => void;
}

function EventField({ id, event, setEvent }: EventFieldProps) {
  const text = useMessages(webhooksText);
  const events = useMessages(eventText);
  const isEvent = (name: string): name is ResourceEventName => Object.hasOwn(events, name);
  return (
    <>
      <label for={id}>{text.event}</label>
      <select
        id={id}
        name="event"
        value={event}
        onChange={({ currentTarget: { value } }) => isEvent(value) && setEvent(value)}
      >
        {Object.entries(events).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </>
  );
}

function Fault({ id, message }: { id: string; message: string }) {
  return (
    <p id={`${id}-fault`} class="fault" role="alert">
      {message}
    </p>
  );
}

function faultOf(error: unknown): { field: 'url' | 'secret' | 'other'; message: string } {
  const [first] = error instanceof AditApiError ? error.errors : [];
  if (first?.pointer === '/url') return { field: 'url', message: first.message };
  if (first?.pointer === '/hmac_secret') return { field: 'secret', message: first.message };
  return { field: 'other', message: first?.message ?? faultMessage(error) };
}

interface DeleteWebhookDialogProps {
  session: Session;
  notices: Notices;
  webhooks: Webhooks;
  webhook: Webhook;
  onClose: () => void;
}

export function DeleteWebhookDialog({ session, notices, webhooks, webhook, onClose }: DeleteWebhookDialogProps) {
  const text = useMessages(webhooksText);
  const remove = (): void => {
    onClose();
    void attempt({ session, notices }, async () => {
      await webhooks.remove(webhook);
      notices.say(text.removed);
    });
  };
  return (
    <AskDialog title={text.removeTitle} submit={text.removeSubmit} kind="danger" onClose={onClose} onSubmit={remove}>
      <p>
        <b>{webhook.url}</b>
      </p>
      <p>{text.removeText}</p>
    </AskDialog>
  );
}
