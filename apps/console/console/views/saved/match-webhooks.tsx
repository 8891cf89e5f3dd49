import { useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { savedText } from '../../messages/saved.en.js';
import type { Notices } from '../../state/notices.js';
import type { SavedSearches } from '../../state/saved-searches.js';
import type { Session } from '../../state/session.js';
import { ActButton, attempt } from '../act-button.js';
import { FormDialog } from '../forms/form-dialog.js';

interface MatchWebhooksProps {
  session: Session;
  notices: Notices;
  saved: SavedSearches;
}

/** Receivers that are told whenever a saved search finds something. */
export function MatchWebhooks({ session, notices, saved }: MatchWebhooksProps) {
  const text = useMessages(savedText);
  const [adds, setAdds] = useState(false);
  const { webhooks } = saved;
  const same = { session, notices };
  return (
    <section aria-label={text.webhooks}>
      <h2>{text.webhooks}</h2>
      {webhooks.length === 0 && <p class="soft">{text.noWebhook}</p>}
      <ul class="saved-searches">
        {webhooks.map(({ id, url, enabled }) => (
          <li key={id}>
            <span class="url">{url}</span>
            <small>{!enabled && text.disabled}</small>
            <span class="actions">
              <ActButton
                {...same}
                label={text.remove}
                title={text.removeWebhook({ url })}
                act={() =>
                  void attempt(same, async () => {
                    await saved.removeWebhook(id);
                    notices.say(text.webhookRemoved);
                  })
                }
              />
            </span>
          </li>
        ))}
      </ul>
      <p class="actions">
        <ActButton {...same} label={text.addWebhook} act={() => setAdds(true)} />
      </p>
      {adds && (
        <FormDialog
          {...{ session, title: text.addTitle, submitLabel: text.add, onClose: () => setAdds(false) }}
          fields={[
            { name: 'url', label: text.url, required: true, maxLength: 2_048, value: 'https://' },
            {
              ...{ name: 'secret', label: text.secret, hint: text.secretHint, required: true, maxLength: 256 },
              value: newSecret(),
            },
          ]}
          submit={async ({ url = '', secret = '' }) => {
            await saved.addWebhook(url, secret);
            notices.say(text.added);
          }}
        />
      )}
    </section>
  );
}

/** In the form of Standard Webhooks. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
