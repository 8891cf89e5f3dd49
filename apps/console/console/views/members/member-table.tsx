import type { Member, MemberRole } from '@adit/client';
import { useState } from 'preact/hooks';
import { language, useMessages } from '../../messages/i18n.js';
import { membersText } from '../../messages/members.en.js';
import { dateText } from '../../model/time.js';
import type { Members } from '../../state/members.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import { ActButton, attempt } from '../act-button.js';
import { TableHead } from '../table-head.js';
import { RemoveDialog } from './remove-dialog.js';

interface PartProps {
  session: Session;
  notices: Notices;
  members: Members;
}

export function MemberTable({ session, notices, members, list }: PartProps & { list: readonly Member[] }) {
  const text = useMessages(membersText);
  const [removes, setRemoves] = useState<Member | null>(null);
  const remove = (member: Member, revokesKeys: boolean): void => {
    setRemoves(null);
    void attempt({ session, notices }, async () => {
      await members.remove(member, revokesKeys);
      notices.say(text.removed({ name: member.name }));
    });
  };
  return (
    <section aria-label={text.title}>
      {list.length === 0 ? (
        <p class="soft">{text.none}</p>
      ) : (
        <table class="list keys">
          <TableHead names={[text.name, text.email, text.role, text.seen, text.actions]} />
          <tbody>
            {list.map((member) => (
              <tr key={member.id}>
                <th scope="row">
                  {member.name} {member.id === session.who?.id && <em class="used">{text.own}</em>}
                </th>
                <td>{member.email}</td>
                <td>
                  <RoleCell {...{ session, notices, members, member }} />
                </td>
                <td>{dateText(Date.parse(member.time_last_seen), language.get())}</td>
                <td class="actions-cell">
                  <ActButton
                    {...{ session, notices, label: text.remove, title: text.removeOf({ name: member.name }) }}
                    kind="quiet"
                    act={() => setRemoves(member)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {removes !== null && (
        <RemoveDialog
          {...{ session, members, member: removes }}
          onClose={() => setRemoves(null)}
          onRemove={(revokesKeys) => remove(removes, revokesKeys)}
        />
      )}
    </section>
  );
}

function RoleCell({ session, notices, members, member }: PartProps & { member: Member }) {
  const text = useMessages(membersText);
  const { name, role, source } = member;
  if (source === 'claim') {
    return (
      <>
        {role} <small>{text.byClaim}</small>
      </>
    );
  }
  const change = (wanted: MemberRole): void =>
    void attempt({ session, notices }, async () => {
      await members.changeRole(member, wanted);
      notices.say(text.changed({ name }));
    });
  return <RoleChoice label={text.roleOf({ name })} value={role} set={change} />;
}

const ROLES: readonly MemberRole[] = ['reader', 'member', 'admin'];

interface RoleChoiceProps {
  id?: string;
  /** Where there is no element that labels it. */
  label?: string;
  value: MemberRole;
  set: (role: MemberRole) => void;
}

export function RoleChoice({ id, label, value, set }: RoleChoiceProps) {
  const text = useMessages(membersText);
  return (
    <select
      id={id}
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => set(ROLES.find((each) => each === currentTarget.value) ?? value)}
    >
      {ROLES.map((each) => (
        <option key={each} value={each}>
          {text[each]}
        </option>
      ))}
    </select>
  );
}
