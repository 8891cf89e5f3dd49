import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useObserved } from '../../shared/observed.js';
import { shellText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import type { Place, Route } from '../state/route.js';
import type { Notices } from '../state/notices.js';
import type { Session } from '../state/session.js';
import { attempt } from './act-button.js';
import { Preferences } from './preferences.js';

type Page = Place['page'];

/** Pages that the head leads to; those that a page belongs to beside its own. */
const PAGES = [
  ['jobs', ['job']],
  ['search', []],
  ['people', ['person', 'galleries', 'gallery-person']],
  ['datasets', ['dataset', 'class', 'trainings', 'training']],
  ['models', ['model']],
  ['storage', []],
  ['usage', []],
  ['keys', []],
  ['members', []],
  ['streams', ['stream']],
  ['webhooks', ['webhook']],
  ['health', []],
  ['audit', []],
] as const satisfies [Page, Page[]][];

interface ShellProps {
  session: Session;
  route: Route;
  page: Page;
  notices: Notices;
  children: ComponentChildren;
}

/** What is around every page. */
export function Shell({ session, route, page, notices, children }: ShellProps) {
  useObserved(session, notices);
  const text = useMessages(shellText);
  const main = useRef<HTMLElement>(null);
  const { me } = session;
  const { action } = notices;
  if (me === null) return null;
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {text.skip}
      </button>
      <header class="top">
        <a class="brand" href="#/jobs">
          Adit
        </a>
        <Workspace {...{ session, route, notices }} />
        <nav aria-label={text.pages}>
          {PAGES.map(([name, parts]) => (
            <a
              key={name}
              href={`#/${name}`}
              aria-current={page === name ? 'page' : parts.some((part) => part === page) ? 'true' : undefined}
            >
              {text[name]}
            </a>
          ))}
          <a href={`${session.address}/api/docs`}>{text.api}</a>
        </nav>
        <span class="who">{text.signedInAs({ name: session.who?.name ?? '', role: text[me.role] })}</span>
        <Preferences />
        <button type="button" onClick={() => void attempt({ session, notices }, () => session.leave())}>
          {text.signOut}
        </button>
      </header>
      <main ref={main} tabIndex={-1}>
        {children}
      </main>
      <div class="notices" role="status">
        {notices.text !== null && (
          <p class={notices.isBad ? 'bad' : ''}>
            {notices.text}
            {action !== null && (
              <button
                type="button"
                class="act"
                onClick={() => {
                  notices.clear();
                  action.act();
                }}
              >
                {action.label}
              </button>
            )}
            <button type="button" class="plain" aria-label={text.close} onClick={() => notices.clear()}>
              ×
            </button>
          </p>
        )}
      </div>
    </div>
  );
}

/** The workspace; a choice for somebody who belongs to several. */
function Workspace({ session, route, notices }: Pick<ShellProps, 'session' | 'route' | 'notices'>) {
  const text = useMessages(shellText);
  const { me } = session;
  if (me === null || me.workspaces.length < 2) return <span class="workspace">{me?.workspace.name}</span>;
  const move = async (id: string): Promise<void> => {
    // What is open is of the workspace that is left.
    if (await attempt({ session, notices }, () => session.moveTo(id))) route.go('#/jobs');
  };
  return (
    <span class="workspace">
      <select
        aria-label={text.workspace}
        value={me.workspace.id}
        onChange={({ currentTarget: { value } }) => void move(value)}
      >
        {me.workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}
