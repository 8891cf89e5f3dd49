import { gauge, type Collect } from '@adit/runtime';

export const databaseFull = (collect: Collect) =>
  gauge(
    'adit_database_full',
    'Whether the database refused something within the last minute because it is full',
    [],
    collect,
  );
