import { jobsText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import type { Notices } from '../state/notices.js';
import type { Session } from '../state/session.js';
import { faultMessage } from './fault-text.js';

interface ActButtonProps {
  session: Session;
  notices: Notices;
  label: string;
  /** What it does to whom, where the label alone does not say. */
  title?: string;
  kind?: string;
  busy?: boolean;
  /** Why it does not work; undefined where it does, as far as the role allows it. */
  refused?: string | undefined;
  act: () => void;
}

/** A button that changes something; where that is not allowed it says why. */
export function ActButton({ session, notices, label, title, kind, busy = false, refused, act }: ActButtonProps) {
  const text = useMessages(jobsText);
  const why = session.mayWrite ? refused : text.mayNot;
  return (
    <button
      type="button"
      class={kind}
      aria-label={title}
      aria-disabled={why !== undefined || busy}
      title={why ?? title}
      onClick={() => (why === undefined ? !busy && act() : notices.say(why))}
    >
      {label}
    </button>
  );
}

/** Does something, and says why where that did not work. Answers whether it did. */
export async function attempt(
  { session, notices }: { session: Session; notices: Notices },
  act: () => Promise<void>,
): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    session.notice(error);
    notices.say(faultMessage(error), { isBad: true });
    return false;
  }
}
