import { useId, useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { retentionText } from '../../messages/usage.en.js';
import type { Notices } from '../../state/notices.js';
import type { RetentionDesk } from '../../state/retention.js';
import type { Session } from '../../state/session.js';
import { ActButton, attempt } from '../act-button.js';
import { AskDialog } from '../forms/ask-dialog.js';

interface HoldsProps {
  session: Session;
  notices: Notices;
  desk: RetentionDesk;
}

/** Tags whose jobs stay, whatever is said of how long they are kept. */
export function Holds({ session, notices, desk }: HoldsProps) {
  const text = useMessages(retentionText);
  const id = useId();
  const [tag, setTag] = useState('');
  const [lifts, setLifts] = useState<string | null>(null);
  const refused = session.mayManage ? undefined : text.mayNot;
  const hold = (): void => {
    if (refused !== undefined) return notices.say(refused);
    if (tag === '') return;
    void attempt({ session, notices }, async () => {
      await desk.hold(tag);
      setTag('');
      notices.say(text.held({ tag }));
    });
  };
  return (
    <section class="holds" aria-labelledby="holds">
      <header class="heading">
        <h3 id="holds">{text.holds}</h3>
        <span class="soft">{text.holdsHint}</span>
      </header>
      {desk.tags.length === 0 && <p class="soft">{text.noHolds}</p>}
      <ul class="tags">
        {desk.tags.map((each) => (
          <li key={each}>
            <span>{each}</span>
            <ActButton
              {...{ session, notices, refused, label: text.lift, title: text.liftOf({ tag: each }), kind: 'quiet' }}
              act={() => setLifts(each)}
            />
          </li>
        ))}
      </ul>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          hold();
        }}
      >
        <label for={id}>
          {text.tag}
          <input
            id={id}
            name="tag"
            type="text"
            maxLength={255}
            autocomplete="off"
            value={tag}
            onInput={({ currentTarget }) => setTag(currentTarget.value)}
          />
        </label>
        <ActButton {...{ session, notices, refused, label: text.hold, act: hold }} />
      </form>
      {lifts !== null && (
        <AskDialog
          title={text.liftTitle({ tag: lifts })}
          submit={text.liftSubmit}
          kind="danger"
          onClose={() => setLifts(null)}
          onSubmit={() => {
            setLifts(null);
            void attempt({ session, notices }, async () => {
              await desk.lift(lifts);
              notices.say(text.lifted({ tag: lifts }));
            });
          }}
        >
          <p>{text.liftText}</p>
        </AskDialog>
      )}
    </section>
  );
}
