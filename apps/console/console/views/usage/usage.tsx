import { useEffect } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { usageText } from '../../messages/usage.en.js';
import type { UsageFilter } from '../../model/usage-filter.js';
import type { Notices } from '../../state/notices.js';
import type { Route } from '../../state/route.js';
import type { Session } from '../../state/session.js';
import { RetentionPart } from './retention.js';
import { UsagePart } from './usage-part.js';

export interface UsagePageProps {
  session: Session;
  route: Route;
  notices: Notices;
  filter: UsageFilter;
}

/** What analyses took, and how long what they found is kept. */
export function UsagePage({ session, route, notices, filter }: UsagePageProps) {
  const text = useMessages(usageText);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  return (
    <div class="page usage-page">
      <header class="heading">
        <h1>{text.title}</h1>
      </header>
      <UsagePart {...{ session, route, notices, filter }} />
      <RetentionPart {...{ session, notices }} />
    </div>
  );
}
