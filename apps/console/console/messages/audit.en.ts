import { count, params } from '@nanostores/i18n';
import { i18n } from './i18n.js';

/** Of the page of the audit log, and fetched with it. */
export const auditText = i18n('audit', {
  title: 'Audit',
  hint: 'Who changed what through the API. Values are never kept, only the names of fields.',
  mayNot: 'The audit log is shown to keys of the role admin or owner.',
  count: count({ one: '1 change', other: '{count} changes' }),
  actor: 'Who',
  anybody: 'Anybody',
  action: 'Did what',
  anything: 'Anything',
  resource: 'To what',
  from: 'From',
  to: 'To',
  time: 'When',
  fields: 'Fields',
  request: params('Request {id}'),
  only: params('Only what {name} did'),
  created: 'created',
  replaced: 'replaced',
  changed: 'changed',
  deleted: 'deleted',
  clear: 'Remove the filters',
  loading: 'Loading …',
  none: 'Nothing was changed yet.',
  noMatch: 'No change matches these filters.',
  more: 'Show more',
});
