import type { Member } from '@adit/client';
import { useEffect, useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { membersText } from '../../messages/members.en.js';
import type { Members } from '../../state/members.js';
import type { Session } from '../../state/session.js';
import { faultMessage } from '../fault-text.js';
import { AskDialog } from '../forms/ask-dialog.js';

interface RemoveDialogProps {
  session: Session;
  members: Members;
  member: Member;
  onClose: () => void;
  onRemove: (revokesKeys: boolean) => void;
}

/** Asks before somebody is removed; their keys would go on, so it shows these, and revokes them where that is ticked. */
export function RemoveDialog({ session, members, member, onClose, onRemove }: RemoveDialogProps) {
  const text = useMessages(membersText);
  const [keys, setKeys] = useState<string[] | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const [revokes, setRevokes] = useState(false);
  useEffect(() => {
    members.keysOf(member).then(setKeys, (error: unknown) => {
      session.notice(error);
      setFault(error);
    });
  }, []);
  return (
    <AskDialog
      title={text.removeTitle({ name: member.name })}
      submit={text.removeSubmit}
      kind="danger"
      busy={keys === null}
      onClose={onClose}
      onSubmit={() => onRemove(revokes)}
    >
      <p>
        {text.removeText} {member.source === 'claim' && text.removeClaim}
      </p>
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}
        </p>
      )}
      {keys !== null && keys.length > 0 && (
        <>
          <p>{text.keysGoOn(keys.length)}</p>
          <ul class="made-keys" tabIndex={0}>
            {keys.map((name, at) => (
              <li key={at}>{name}</li>
            ))}
          </ul>
          <label class="check">
            <input
              type="checkbox"
              checked={revokes}
              onChange={({ currentTarget }) => setRevokes(currentTarget.checked)}
            />
            {text.revokeKeys}
          </label>
        </>
      )}
    </AskDialog>
  );
}
