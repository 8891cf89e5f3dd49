export const USAGE_GROUPS = ['day', 'module', 'key'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** Which usage is shown, as the fragment of the address says it; days as 2026-11-30, empty ones as the service has them. */
export interface UsageFilter {
  from: string;
  to: string;
  by: UsageGroup;
}

export function usageFilterOf(given: URLSearchParams): UsageFilter {
  const by = given.get('by');
  return {
    ...{ from: given.get('from') ?? '', to: given.get('to') ?? '' },
    by: USAGE_GROUPS.find((each) => each === by) ?? 'day',
  };
}

export function usageAddress({ from, to, by }: UsageFilter): string {
  const query = new URLSearchParams({
    ...(from !== '' && { from }),
    ...(to !== '' && { to }),
    ...(by !== 'day' && { by }),
  }).toString();
  return query === '' ? '#/usage' : `#/usage?${query}`;
}
