import { gauge, type Collect } from '@adit/runtime';

export const objectStoreFull = (collect: Collect) =>
  gauge(
    'adit_object_store_full',
    'Whether the object store refused something within the last minute because it is full',
    [],
    collect,
  );
