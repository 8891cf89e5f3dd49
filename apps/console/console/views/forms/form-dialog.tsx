import { useId, useState } from 'preact/hooks';
import type { Session } from '../../state/session.js';
import { faultMessage } from '../fault-text.js';
import { AskDialog } from './ask-dialog.js';

export interface FormField {
  name: string;
  label: string;
  hint?: string;
  /** Default: one line of text. */
  kind?: 'lines' | 'number' | 'choice' | 'check';
  /** Of a choice. */
  choices?: readonly (readonly [value: string, label: string])[];
  /** What stands in it at first; of a check `yes` or nothing. */
  value?: string;
  required?: boolean;
  maxLength?: number;
  /** Of a number. */
  most?: number;
}

interface FormDialogProps {
  session: Session;
  title: string;
  fields: readonly FormField[];
  submitLabel: string;
  /** Throws what did not work, which is said in the dialog. */
  submit: (values: Record<string, string>) => Promise<void>;
  onClose: () => void;
}

/** Asks for a few values; it stays open, with them, where what is done with them fails. */
export function FormDialog({ session, title, fields, submitLabel, submit, onClose }: FormDialogProps) {
  const [values, setValues] = useState<Record<string, string>>(
    Object.fromEntries(fields.map(({ name, value = '' }) => [name, value])),
  );
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      await submit(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()])));
      onClose();
    } catch (error) {
      session.notice(error);
      setFault(faultMessage(error));
      setBusy(false);
    }
  };
  return (
    <AskDialog {...{ title, busy, onClose }} submit={submitLabel} onSubmit={() => void send()}>
      {fields.map((field, at) => (
        <Field
          key={field.name}
          {...{ field, value: values[field.name] ?? '', isFirst: at === 0 }}
          set={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
      {fault !== null && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </AskDialog>
  );
}

interface FieldProps {
  field: FormField;
  value: string;
  isFirst: boolean;
  set: (value: string) => void;
}

function Field({ field, value, isFirst, set }: FieldProps) {
  const id = useId();
  const { name, label, hint, kind, choices = [], required = false, maxLength = 255, most } = field;
  const described = hint === undefined ? {} : { 'aria-describedby': `${id}-hint` };
  const same = { id, name, value, required, autofocus: isFirst, ...described };
  if (kind === 'check') {
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={value === 'yes'}
          onChange={() => set(value === 'yes' ? '' : 'yes')}
          {...{ name }}
        />
        <span>
          {label}
          {hint !== undefined && <small>{hint}</small>}
        </span>
      </label>
    );
  }
  return (
    <>
      <label for={id}>{label}</label>
      {kind === 'choice' ? (
        <select {...same} onChange={({ currentTarget }) => set(currentTarget.value)}>
          {choices.map(([choice, shown]) => (
            <option key={choice} value={choice}>
              {shown}
            </option>
          ))}
        </select>
      ) : kind === 'lines' ? (
        <textarea {...same} rows={3} maxLength={maxLength} onInput={({ currentTarget }) => set(currentTarget.value)} />
      ) : kind === 'number' ? (
        <input
          {...same}
          type="number"
          {...{ min: 0, step: 1, ...(most !== undefined && { max: most }) }}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      ) : (
        <input
          {...same}
          type="text"
          autocomplete="off"
          maxLength={maxLength}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </>
  );
}
