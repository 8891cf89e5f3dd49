import type { AccessKeyRequest, AccessScope, ApiKeyRequest, ApiKeyRole } from '@adit/client';
import { useId, useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { keysText } from '../../messages/keys.en.js';
import { AskDialog } from '../forms/ask-dialog.js';

function NameField({ value, max, set }: { value: string; max: number; set: (name: string) => void }) {
  const text = useMessages(keysText);
  const id = useId();
  return (
    <>
      <label for={id}>{text.name}</label>
      <input
        id={id}
        name="name"
        type="text"
        required
        autofocus
        autocomplete="off"
        maxLength={max}
        value={value}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </>
  );
}

const ROLES: readonly ApiKeyRole[] = ['reader', 'member', 'admin', 'owner'];

interface NewApiKeyDialogProps {
  isOwner: boolean;
  onClose: () => void;
  onMake: (request: ApiKeyRequest) => void;
}

export function NewApiKeyDialog({ isOwner, onClose, onMake }: NewApiKeyDialogProps) {
  const text = useMessages(keysText);
  const id = useId();
  const [name, setName] = useState('');
  const [role, setRole] = useState<ApiKeyRole>('member');
  const [requests, setRequests] = useState('');
  const [jobs, setJobs] = useState('');
  const limit = (given: string): number | null => (given === '' ? null : Number(given));
  const make = (): void =>
    onMake({ name: name.trim(), role, requests_per_second: limit(requests), jobs_per_day: limit(jobs) });
  return (
    <AskDialog title={text.make} submit={text.submit} onClose={onClose} onSubmit={make}>
      <NameField value={name} max={100} set={setName} />
      <label for={`${id}-role`}>{text.role}</label>
      <select
        id={`${id}-role`}
        value={role}
        onChange={({ currentTarget: { value } }) => setRole(ROLES.find((each) => each === value) ?? 'member')}
      >
        {ROLES.filter((each) => isOwner || each !== 'owner').map((each) => (
          <option key={each} value={each}>
            {text[each]}
          </option>
        ))}
      </select>
      <label for={`${id}-requests`}>{text.requestsPerSecond}</label>
      <LimitField id={`${id}-requests`} hint={`${id}-hint`} max={1_000_000} value={requests} set={setRequests} />
      <label for={`${id}-jobs`}>{text.jobsPerDay}</label>
      <LimitField id={`${id}-jobs`} hint={`${id}-hint`} max={1_000_000_000} value={jobs} set={setJobs} />
      <small id={`${id}-hint`}>{text.limitHint}</small>
    </AskDialog>
  );
}

interface LimitFieldProps {
  id: string;
  hint: string;
  max: number;
  value: string;
  set: (value: string) => void;
}

function LimitField({ id, hint, max, value, set }: LimitFieldProps) {
  return (
    <input
      id={id}
      type="number"
      min={0}
      max={max}
      step={1}
      aria-describedby={hint}
      value={value}
      onInput={({ currentTarget }) => set(currentTarget.value)}
    />
  );
}

const SCOPES: readonly AccessScope[] = ['transcript.read', 'transcript.write', 'export.read', 'export.write'];

interface NewAccessKeyDialogProps {
  onClose: () => void;
  onMake: (request: AccessKeyRequest) => void;
}

export function NewAccessKeyDialog({ onClose, onMake }: NewAccessKeyDialogProps) {
  const text = useMessages(keysText);
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly AccessScope[]>(['transcript.read', 'transcript.write']);
  const make = (): void => onMake({ name: name.trim(), scopes: [...scopes] });
  return (
    <AskDialog title={text.makeAccess} submit={text.submit} onClose={onClose} onSubmit={make}>
      <NameField value={name} max={255} set={setName} />
      <fieldset>
        <legend>{text.scopes}</legend>
        {SCOPES.map((scope) => (
          <label key={scope} class="check">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={({ currentTarget: { checked } }) =>
                setScopes((before) => SCOPES.filter((each) => (each === scope ? checked : before.includes(each))))
              }
            />
            <span>{scope}</span>
          </label>
        ))}
      </fieldset>
    </AskDialog>
  );
}

/** Seconds. */
const [HOUR, DAY, WEEK] = [3_600, 86_400, 604_800];

interface RotateDialogProps {
  name: string;
  /** The page is signed in with it, and would be signed out. */
  isOwn: boolean;
  onClose: () => void;
  onRotate: (overlap: number) => void;
}

export function RotateDialog({ name, isOwn, onClose, onRotate }: RotateDialogProps) {
  const text = useMessages(keysText);
  const id = useId();
  const [overlap, setOverlap] = useState(HOUR);
  const choices: [number, string][] = [
    ...(isOwn ? [] : ([[0, text.overlapNone]] satisfies [number, string][])),
    [HOUR, text.overlapHour],
    [DAY, text.overlapDay],
    [WEEK, text.overlapWeek],
  ];
  return (
    <AskDialog
      title={text.rotateTitle({ name })}
      submit={text.rotateSubmit}
      onClose={onClose}
      onSubmit={() => onRotate(overlap)}
    >
      <p>{text.rotateText}</p>
      <label for={id}>{text.overlap}</label>
      <select
        id={id}
        autofocus
        value={overlap}
        onChange={({ currentTarget }) => setOverlap(Number(currentTarget.value))}
      >
        {choices.map(([seconds, label]) => (
          <option key={seconds} value={seconds}>
            {label}
          </option>
        ))}
      </select>
    </AskDialog>
  );
}

interface RevokeDialogProps {
  name: string;
  isOwn?: boolean;
  onClose: () => void;
  onRevoke: () => void;
}

export function RevokeDialog({ name, isOwn = false, onClose, onRevoke }: RevokeDialogProps) {
  const text = useMessages(keysText);
  return (
    <AskDialog
      title={text.revokeTitle({ name })}
      submit={text.revokeSubmit}
      kind="danger"
      onClose={onClose}
      onSubmit={onRevoke}
    >
      <p>
        {text.revokeText} {isOwn && text.revokeOwn}
      </p>
    </AskDialog>
  );
}
