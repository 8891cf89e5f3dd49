/**
 * SQL: the next revision of a collection, for its locked row. They go on with the time, in microseconds: numbers that were counted
 * would come again after a fail-over that lost commits, and who had read the lost ones would read nothing of those that follow.
 */
export const NEXT_REVISION = 'greatest(revision + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)';
