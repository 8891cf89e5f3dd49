export const UNITS = { hours: 3_600, days: 86_400, years: 31_536_000 } as const;
export type Unit = keyof typeof UNITS;

/** Seconds in the largest unit that they are whole ones of; hours that are not whole are rounded up. */
export function lifetimeOf(seconds: number): { amount: number; unit: Unit } {
  const unit = (['years', 'days'] as const).find((each) => seconds % UNITS[each] === 0) ?? 'hours';
  return { amount: Math.ceil(seconds / UNITS[unit]), unit };
}

/** The longest that the service takes: 50 years. */
export const MOST_SECONDS = 50 * UNITS.years;
