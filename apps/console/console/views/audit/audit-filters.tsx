import { useId } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { auditText } from '../../messages/audit.en.js';
import { auditAddress, type AuditFilter } from '../../model/audit-filter.js';
import type { AuditTrail } from '../../state/audit.js';
import type { Route } from '../../state/route.js';
import { useActionNames } from './action-names.js';

/** Those that most installations know; others can be written. */
const ACTIONS = ['created', 'replaced', 'changed', 'deleted', 'stop', 'retry', 'rotate', 'merge', 'split', 'replay'];
const RESOURCES = ['api-keys', 'access-keys', 'jobs', 'models', 'retention', 'retention/holds', 'storage', 'webhooks'];

interface AuditFiltersProps {
  trail: AuditTrail;
  filter: AuditFilter;
  route: Route;
}

export function AuditFilters({ trail, filter, route }: AuditFiltersProps) {
  const text = useMessages(auditText);
  const nameOf = useActionNames();
  const change = (changed: Partial<AuditFilter>): void => route.replace(auditAddress({ ...filter, ...changed }));
  const { entries, actors } = trail;
  const gone = entries.map(({ actor }) => actor).filter(({ id }) => actors.every((each) => each.id !== id));
  const known = new Map([...actors, ...gone].map(({ id, name }) => [id, name]));
  if (filter.actor !== '' && !known.has(filter.actor)) known.set(filter.actor, filter.actor);
  return (
    <div class="fields">
      <label>
        {text.actor}
        <select name="actor" value={filter.actor} onChange={({ currentTarget: { value } }) => change({ actor: value })}>
          <option value="">{text.anybody}</option>
          {[...known].map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Choice name="action" {...{ filter, change }} offered={ACTIONS.map((each) => [each, nameOf(each)])} />
      <Choice name="resource" {...{ filter, change }} offered={RESOURCES.map((each) => [each, each])} />
      {(['from', 'to'] as const).map((name) => (
        <label key={name}>
          {text[name]}
          <input
            type="date"
            name={name}
            value={filter[name]}
            onChange={({ currentTarget: { value } }) => change({ [name]: value })}
          />
        </label>
      ))}
      {auditAddress(filter) !== '#/audit' && (
        <button type="button" onClick={() => route.replace('#/audit')}>
          {text.clear}
        </button>
      )}
    </div>
  );
}

interface ChoiceProps {
  name: 'action' | 'resource';
  filter: AuditFilter;
  change: (changed: Partial<AuditFilter>) => void;
  offered: [value: string, label: string][];
}

/** A text with some that can be chosen. */
function Choice({ name, filter, change, offered }: ChoiceProps) {
  const text = useMessages(auditText);
  const id = useId();
  return (
    <label>
      {text[name]}
      <input
        type="search"
        name={name}
        list={id}
        maxLength={512}
        placeholder={text.anything}
        value={filter[name]}
        onChange={({ currentTarget: { value } }) => change({ [name]: value.trim() })}
      />
      <datalist id={id}>
        {offered.map(([value, label]) => (
          <option key={value} value={value} label={label} />
        ))}
      </datalist>
    </label>
  );
}
