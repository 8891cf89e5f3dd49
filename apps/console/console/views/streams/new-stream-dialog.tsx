import { AditApiError, type Job, type Module } from '@adit/client';
import { useEffect, useId, useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { streamsText } from '../../messages/streams.en.js';
import { faultsOf, type StreamFaults } from '../../model/streams.js';
import type { Session } from '../../state/session.js';
import type { Streams } from '../../state/streams.js';
import { AskDialog } from '../forms/ask-dialog.js';
import { faultMessage } from '../fault-text.js';
import { useModuleNames } from '../module-names.js';

interface NewStreamDialogProps {
  session: Session;
  streams: Streams;
  onClose: () => void;
  onStarted: (job: Job) => void;
}

/** Asks for what a stream needs; what the service refuses is told beside the field. */
export function NewStreamDialog({ session, streams, onClose, onStarted }: NewStreamDialogProps) {
  const text = useMessages(streamsText);
  const id = useId();
  const [address, setAddress] = useState('');
  const [tag, setTag] = useState('');
  const [record, setRecord] = useState(false);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [offered, setOffered] = useState<Module[]>([]);
  const [faults, setFaults] = useState<StreamFaults>({});
  const [busy, setBusy] = useState(false);
  const fail = (error: unknown): void => {
    session.notice(error);
    const errors = error instanceof AditApiError ? error.errors : [];
    setFaults(faultsOf(errors, faultMessage(error)));
  };
  useEffect(() => void streams.modules().then(setOffered, fail), [streams]);
  const submit = async (): Promise<void> => {
    if (chosen.length === 0) return setFaults({ modules: text.chooseModule });
    setBusy(true);
    setFaults({});
    try {
      onStarted(await streams.start({ address: address.trim(), modules: chosen, record, tag: tag.trim() }));
    } catch (error) {
      fail(error);
      setBusy(false);
    }
  };
  return (
    <AskDialog {...{ title: text.formTitle, submit: text.submit, busy, onClose }} onSubmit={() => void submit()}>
      <label for={`${id}-address`}>{text.address}</label>
      <input
        {...fieldOf(`${id}-address`, faults.address)}
        name="address"
        type="text"
        inputMode="url"
        required
        autofocus
        autocomplete="off"
        spellcheck={false}
        maxLength={4096}
        value={address}
        onInput={({ currentTarget }) => setAddress(currentTarget.value)}
      />
      <small id={`${id}-address-hint`}>{text.addressHint}</small>
      <Fault id={`${id}-address`} fault={faults.address} />
      <ModuleChoice {...{ id: `${id}-modules`, offered, chosen, setChosen, fault: faults.modules }} />
      <label class="check">
        <input
          {...fieldOf(`${id}-record`, faults.record)}
          name="record"
          type="checkbox"
          checked={record}
          onChange={({ currentTarget }) => setRecord(currentTarget.checked)}
        />
        <span id={`${id}-record-hint`}>{text.record}</span>
      </label>
      <Fault id={`${id}-record`} fault={faults.record} />
      <label for={`${id}-tag`}>{text.tag}</label>
      <input
        {...fieldOf(`${id}-tag`, faults.tag)}
        name="tag"
        type="text"
        autocomplete="off"
        maxLength={255}
        value={tag}
        onInput={({ currentTarget }) => setTag(currentTarget.value)}
      />
      <small id={`${id}-tag-hint`}>{text.optional}</small>
      <Fault id={`${id}-tag`} fault={faults.tag} />
      <Fault id={`${id}-other`} fault={faults.other} />
    </AskDialog>
  );
}

interface ModuleChoiceProps {
  id: string;
  offered: readonly Module[];
  chosen: readonly string[];
  setChosen: (chosen: readonly string[]) => void;
  fault: string | undefined;
}

function ModuleChoice({ id, offered, chosen, setChosen, fault }: ModuleChoiceProps) {
  const text = useMessages(streamsText);
  const nameOf = useModuleNames();
  return (
    <fieldset aria-describedby={fault === undefined ? undefined : `${id}-fault`}>
      <legend>{text.modules}</legend>
      {offered.map(({ id: module }) => (
        <label key={module} class="check">
          <input
            type="checkbox"
            name={module}
            checked={chosen.includes(module)}
            onChange={({ currentTarget: { checked } }) =>
              setChosen(
                offered.flatMap((each) => ((each.id === module ? checked : chosen.includes(each.id)) ? each.id : [])),
              )
            }
          />
          <span>{nameOf(module)}</span>
        </label>
      ))}
      <Fault id={id} fault={fault} />
    </fieldset>
  );
}

function fieldOf(id: string, fault: string | undefined) {
  return {
    ...{ id, 'aria-describedby': `${id}-hint${fault === undefined ? '' : ` ${id}-fault`}` },
    'aria-invalid': fault !== undefined,
  };
}

function Fault({ id, fault }: { id: string; fault: string | undefined }) {
  if (fault === undefined) return null;
  return (
    <p id={`${id}-fault`} class="fault" role="alert">
      {fault}
    </p>
  );
}
