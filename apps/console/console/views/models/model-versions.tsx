import type { Model, ModelVersion } from '@adit/client';
import { useId, useState } from 'preact/hooks';
import { Dialog } from '../../../shared/dialog.js';
import { shellText } from '../../messages/en.js';
import { language, useMessages } from '../../messages/i18n.js';
import { modelsText } from '../../messages/models.en.js';
import { dateText } from '../../model/time.js';
import type { ModelDetail } from '../../state/model-detail.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import { ActButton, attempt } from '../act-button.js';

interface ModelVersionsProps {
  session: Session;
  notices: Notices;
  detail: ModelDetail;
  model: Model;
}

/** The versions of a model, newest first; which of them its name means can be changed. */
export function ModelVersions(props: ModelVersionsProps) {
  const text = useMessages(modelsText);
  const versions = props.model.versions.toSorted((a, b) => b.version_number - a.version_number);
  const [tries, setTries] = useState<number | null>(null);
  const { session, notices, detail } = props;
  return (
    <section class="part" aria-label={text.versions}>
      <h2>{text.versions}</h2>
      <ul class="versions">
        {versions.map((version) => (
          <VersionRow key={version.version_number} {...props} version={version} onTry={setTries} />
        ))}
      </ul>
      {tries !== null && (
        <CanaryDialog
          version={tries}
          onClose={() => setTries(null)}
          onStart={(share) => {
            setTries(null);
            void attempt({ session, notices }, async () => {
              await detail.startCanary(tries, share);
              notices.say(text.started({ version: tries }));
            });
          }}
        />
      )}
    </section>
  );
}

interface VersionRowProps extends ModelVersionsProps {
  version: ModelVersion;
  onTry: (version: number) => void;
}

function VersionRow({ session, notices, detail, model, version: row, onTry }: VersionRowProps) {
  const text = useMessages(modelsText);
  const [busy, setBusy] = useState(false);
  const { version_number: version, time_created: created, changelog, metrics } = row;
  const isUsed = version === model.default_version;
  const refused = session.mayManage ? undefined : text.mayNot;
  const run = async (act: () => Promise<void>): Promise<void> => {
    setBusy(true);
    await attempt({ session, notices }, act);
    setBusy(false);
  };
  const promote = async (): Promise<void> => {
    const before = model.default_version;
    await detail.promote(version);
    const undo = (): void => void run(() => detail.promote(before));
    notices.say(text.promoted({ version }), { action: { label: text.undo, act: undo } });
  };
  const retire = async (): Promise<void> => {
    await detail.retire(version);
    notices.say(text.retired({ version }));
  };
  const same = { session, notices, busy, refused };
  return (
    <li>
      <b>{version}</b>
      <span>
        {isUsed && <em class="used">{text.inUse}</em>}{' '}
        {text.created({ time: dateText(Date.parse(created), language.get()) })}
        {changelog !== '' && <small>{changelog}</small>}
        {metrics !== null && <small>{metricsText(metrics)}</small>}
      </span>
      {!isUsed && (
        <span class="actions">
          <ActButton
            {...{ ...same, label: text.promote, title: text.promoteOf({ version }), act: () => void run(promote) }}
          />
          <ActButton
            {...{ ...same, label: text.canary, title: text.canaryOf({ version }), act: () => onTry(version) }}
          />
          <ActButton
            {...{ ...same, label: text.retire, title: text.retireOf({ version }), act: () => void run(retire) }}
            kind="quiet"
          />
        </span>
      )}
    </li>
  );
}

function metricsText(metrics: Record<string, number>): string {
  const shown = Object.entries(metrics).slice(0, 6);
  return shown
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${value.toLocaleString(language.get())}`)
    .join(' · ');
}

interface CanaryDialogProps {
  version: number;
  onClose: () => void;
  onStart: (share: number) => void;
}

const SHARES = [0.01, 0.05, 0.1, 0.25, 0.5, 1];

function CanaryDialog({ version, onClose, onStart }: CanaryDialogProps) {
  const text = useMessages(modelsText);
  const shell = useMessages(shellText);
  const id = useId();
  const [share, setShare] = useState(0.1);
  return (
    <Dialog title={text.canaryTitle({ version })} closeLabel={shell.close} onClose={onClose}>
      <p>{text.canaryHint}</p>
      <form
        class="sheet-form"
        onSubmit={(event) => {
          event.preventDefault();
          onStart(share);
        }}
      >
        <label for={id}>{text.share}</label>
        <select id={id} autofocus value={share} onChange={({ currentTarget }) => setShare(Number(currentTarget.value))}>
          {SHARES.map((each) => (
            <option key={each} value={each}>
              {each * 100} %
            </option>
          ))}
        </select>
        <footer>
          <button type="button" onClick={onClose}>
            {shell.cancel}
          </button>
          <button type="submit" class="primary">
            {text.start}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
