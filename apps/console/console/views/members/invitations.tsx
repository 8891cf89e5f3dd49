import type { InvitationRequest, MemberRole } from '@adit/client';
import { useId, useState } from 'preact/hooks';
import { language, useMessages } from '../../messages/i18n.js';
import { membersText } from '../../messages/members.en.js';
import { dateText } from '../../model/time.js';
import type { Members } from '../../state/members.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import { ActButton, attempt } from '../act-button.js';
import { AskDialog } from '../forms/ask-dialog.js';
import { RoleChoice } from './member-table.js';
import { TableHead } from '../table-head.js';

interface InvitationsProps {
  session: Session;
  notices: Notices;
  members: Members;
}

export function Invitations({ session, notices, members }: InvitationsProps) {
  const text = useMessages(membersText);
  const [invites, setInvites] = useState(false);
  const run = (act: () => Promise<void>): void => void attempt({ session, notices }, act);
  const invite = (request: InvitationRequest): void => {
    setInvites(false);
    run(async () => {
      const { email, link } = await members.invite(request);
      session.showSecret({ name: email, title: text.linkFor({ email }), parts: [[text.link, link]] });
    });
  };
  return (
    <section aria-label={text.invitations}>
      <header class="heading">
        <h2>{text.invitations}</h2>
        <span class="soft">{text.invitationsHint}</span>
        <ActButton {...{ session, notices, label: text.invite, act: () => setInvites(true) }} />
      </header>
      {members.invitations.length === 0 ? (
        <p class="soft">{text.none}</p>
      ) : (
        <table class="list keys">
          <TableHead names={[text.email, text.role, text.expires, text.actions]} />
          <tbody>
            {members.invitations.map((invitation) => {
              const { id, email, role, time_expires: ends } = invitation;
              const takeBack = async (): Promise<void> => {
                await members.takeBack(invitation);
                notices.say(text.takenBack({ email }));
              };
              return (
                <tr key={id}>
                  <th scope="row">{email}</th>
                  <td>{role}</td>
                  <td>{dateText(Date.parse(ends), language.get())}</td>
                  <td class="actions-cell">
                    <ActButton
                      {...{ session, notices, label: text.takeBack, title: text.takeBackOf({ email }) }}
                      kind="quiet"
                      act={() => run(takeBack)}
                    />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {invites && <InviteDialog onClose={() => setInvites(false)} onInvite={invite} />}
    </section>
  );
}

interface InviteDialogProps {
  onClose: () => void;
  onInvite: (request: InvitationRequest) => void;
}

function InviteDialog({ onClose, onInvite }: InviteDialogProps) {
  const text = useMessages(membersText);
  const id = useId();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<MemberRole>('member');
  return (
    <AskDialog
      title={text.invite}
      submit={text.inviteSubmit}
      onClose={onClose}
      onSubmit={() => onInvite({ email: email.trim(), role })}
    >
      <label for={`${id}-email`}>{text.inviteEmail}</label>
      <input
        id={`${id}-email`}
        name="email"
        type="email"
        required
        autofocus
        autocomplete="off"
        maxLength={254}
        value={email}
        onInput={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <label for={`${id}-role`}>{text.role}</label>
      <RoleChoice id={`${id}-role`} value={role} set={setRole} />
    </AskDialog>
  );
}
