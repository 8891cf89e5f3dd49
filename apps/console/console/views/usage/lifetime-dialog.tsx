import { useId, useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { retentionText } from '../../messages/usage.en.js';
import { lifetimeOf, MOST_SECONDS, UNITS, type Unit } from '../../model/lifetime.js';
import { AskDialog } from '../forms/ask-dialog.js';

interface LifetimeDialogProps {
  /** Of what it is. */
  name: string;
  /** The workspace's own value; null without one. */
  seconds: number | null;
  /** The installation's, in words. */
  installation: string;
  onClose: () => void;
  onChange: (seconds: number | null) => void;
}

const UNIT_NAMES = [
  ['hours', 'unitHours'],
  ['days', 'unitDays'],
  ['years', 'unitYears'],
] as const satisfies [Unit, string][];

/** Asks how long something is kept. */
export function LifetimeDialog({ name, seconds, installation, onClose, onChange }: LifetimeDialogProps) {
  const text = useMessages(retentionText);
  const id = useId();
  const before = lifetimeOf(seconds ?? 30 * UNITS.days);
  const [isOwn, setOwn] = useState(seconds !== null);
  const [amount, setAmount] = useState(String(before.amount));
  const [unit, setUnit] = useState<Unit>(before.unit);
  const choice = (own: boolean, label: string) => (
    <label class="check">
      <input type="radio" name="own" checked={isOwn === own} onChange={() => setOwn(own)} />
      <span>{label}</span>
    </label>
  );
  return (
    <AskDialog
      title={text.changeTitle({ name })}
      submit={text.submit}
      onClose={onClose}
      onSubmit={() => onChange(isOwn ? Number(amount) * UNITS[unit] : null)}
    >
      <p>{text.changeText}</p>
      <fieldset>
        <legend>{text.kept}</legend>
        {choice(false, text.asInstalledOf({ time: installation }))}
        {choice(true, text.own)}
      </fieldset>
      {isOwn && (
        <div class="fields">
          <label for={`${id}-amount`}>
            {text.amount}
            <input
              id={`${id}-amount`}
              name="amount"
              type="number"
              required
              min={1}
              max={Math.floor(MOST_SECONDS / UNITS[unit])}
              step={1}
              value={amount}
              onInput={({ currentTarget }) => setAmount(currentTarget.value)}
            />
          </label>
          <label for={`${id}-unit`}>
            {text.unit}
            <select
              id={`${id}-unit`}
              name="unit"
              value={unit}
              onChange={({ currentTarget: { value } }) =>
                setUnit(UNIT_NAMES.find(([each]) => each === value)?.[0] ?? 'days')
              }
            >
              {UNIT_NAMES.map(([each, label]) => (
                <option key={each} value={each}>
                  {text[label]}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
    </AskDialog>
  );
}
