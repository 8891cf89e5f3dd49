/** Which changes are shown, as the fragment of the address says it; empty texts filter nothing. */
export interface AuditFilter {
  /** Id of a key. */
  actor: string;
  action: string;
  /** Kind of thing, such as `api-keys`. */
  resource: string;
  /** Days as 2026-11-30, both included. */
  from: string;
  to: string;
}

const NAMES = ['actor', 'action', 'resource', 'from', 'to'] as const;

export function auditFilterOf(given: URLSearchParams): AuditFilter {
  const text = (name: (typeof NAMES)[number]): string => given.get(name) ?? '';
  return {
    ...{ actor: text('actor'), action: text('action'), resource: text('resource') },
    ...{ from: text('from'), to: text('to') },
  };
}

export function auditAddress(filter: Partial<AuditFilter>): string {
  const given = NAMES.flatMap((name): [string, string][] => (filter[name] ? [[name, filter[name]]] : []));
  return given.length === 0 ? '#/audit' : `#/audit?${new URLSearchParams(given).toString()}`;
}

/** The filter as the service takes it: days are those of this place. What is no day filters nothing. */
export function auditQueryOf({ actor, action, resource, from, to }: AuditFilter) {
  const start = dayStart(from, 0);
  const end = dayStart(to, 1);
  return {
    ...(actor !== '' && { actor_id: actor }),
    ...(action !== '' && { action }),
    ...(resource !== '' && { resource }),
    ...(start !== null && { time_start: start.toISOString() }),
    ...(end !== null && { time_end: new Date(end.getTime() - 1).toISOString() }),
  };
}

/** Midnight of a day and some days after it, here; days may have 23 or 25 hours. */
function dayStart(day: string, later: number): Date | null {
  const [, year = '', month = '', date = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  return year === '' ? null : new Date(Number(year), Number(month) - 1, Number(date) + later);
}
