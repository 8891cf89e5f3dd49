/**
 * SQL: the next revision of a collection, for its locked row. Revisions follow the clock in microseconds: counters
 * would repeat after a fail-over that lost commits, and readers of the lost ones would miss later changes.
 */
export const NEXT_REVISION = 'greatest(revision + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)';
