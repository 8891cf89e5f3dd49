import { useEffect, useMemo } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { useMessages } from '../../messages/i18n.js';
import { auditText } from '../../messages/audit.en.js';
import { auditAddress, type AuditFilter } from '../../model/audit-filter.js';
import { AuditTrail } from '../../state/audit.js';
import type { Notices } from '../../state/notices.js';
import type { Route } from '../../state/route.js';
import type { Session } from '../../state/session.js';
import { faultMessage } from '../fault-text.js';
import { AuditFilters } from './audit-filters.js';
import { AuditTable } from './audit-table.js';

export interface AuditPageProps {
  session: Session;
  route: Route;
  notices: Notices;
  filter: AuditFilter;
}

/** Who changed what. */
export function AuditPage({ session, route, filter }: AuditPageProps) {
  const text = useMessages(auditText);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  return (
    <div class="page audit">
      <header class="heading">
        <h1>{text.title}</h1>
        <span class="soft">{text.hint}</span>
      </header>
      {session.mayManage ? <Trail {...{ session, route, filter }} /> : <p class="empty">{text.mayNot}</p>}
    </div>
  );
}

function Trail({ session, route, filter }: Omit<AuditPageProps, 'notices'>) {
  const text = useMessages(auditText);
  const shell = useMessages(shellText);
  const trail = useMemo(() => new AuditTrail(session), [session]);
  useObserved(trail);
  const wanted = auditAddress(filter);
  useEffect(() => void trail.readActors(), [trail]);
  useEffect(() => void trail.open(filter), [trail, wanted]);
  const { entries, total, loading, hasMore, fault } = trail;
  return (
    <>
      <AuditFilters {...{ trail, filter, route }} />
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void trail.more()}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {loading && entries.length === 0 && <p class="soft">{text.loading}</p>}
      {!loading && fault === null && entries.length === 0 && (
        <p class="empty">{wanted === '#/audit' ? text.none : text.noMatch}</p>
      )}
      {entries.length > 0 && (
        <>
          <p class="soft count" role="status">
            {text.count(total)}
          </p>
          <AuditTable {...{ entries, filter }} />
        </>
      )}
      {hasMore && (
        <p class="center">
          <button type="button" disabled={loading} onClick={() => void trail.more()}>
            {text.more}
          </button>
        </p>
      )}
    </>
  );
}
