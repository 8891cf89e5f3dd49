import { useEffect, useMemo } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { useMessages } from '../../messages/i18n.js';
import { membersText } from '../../messages/members.en.js';
import { Members } from '../../state/members.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import { faultMessage } from '../fault-text.js';
import { Invitations } from './invitations.js';
import { MemberTable } from './member-table.js';
import { SessionTable } from './session-table.js';

export interface MembersPageProps {
  session: Session;
  notices: Notices;
}

/** Who belongs to the workspace. */
export function MembersPage({ session, notices }: MembersPageProps) {
  const text = useMessages(membersText);
  useObserved(session);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  useEffect(() => {
    if (session.provider === undefined) void session.readOffer();
  }, [session]);
  return (
    <div class="page keys-page members-page">
      <header class="heading">
        <h1>{text.title}</h1>
        <span class="soft">{text.hint}</span>
      </header>
      {!session.mayManage ? (
        <p class="empty">{text.mayNot}</p>
      ) : session.provider === null ? (
        <p class="empty">{text.noProvider}</p>
      ) : (
        <Parts {...{ session, notices }} />
      )}
    </div>
  );
}

function Parts({ session, notices }: MembersPageProps) {
  const text = useMessages(membersText);
  const shell = useMessages(shellText);
  const members = useMemo(() => new Members(session), [session]);
  useObserved(members);
  useEffect(() => void members.read(), [members]);
  const { fault } = members;
  return (
    <>
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void members.read()}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {members.members === null && fault === null && <p class="soft">{text.loading}</p>}
      {members.members !== null && (
        <>
          <MemberTable {...{ session, notices, members, list: members.members }} />
          <Invitations {...{ session, notices, members }} />
          <SessionTable {...{ session, notices, members }} />
        </>
      )}
    </>
  );
}
