import type { Canary, CanaryPicture, CanarySighting, RunLatency } from '@adit/client';
import { useEffect, useState } from 'preact/hooks';
import { language, useMessages } from '../../messages/i18n.js';
import { modelsText, trialText } from '../../messages/models.en.js';
import type { ModelDetail } from '../../state/model-detail.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import { ActButton, attempt } from '../act-button.js';
import { TableHead } from '../table-head.js';

/** Labels and pictures that are shown; the API has more. */
const SHOWN_LABELS = 20;
const SHOWN_PICTURES = 6;

interface CanaryReportProps {
  session: Session;
  notices: Notices;
  detail: ModelDetail;
  canary: Canary;
}

/** How a version that is tried differs from the one in use. */
export function CanaryReport({ session, notices, detail, canary }: CanaryReportProps) {
  const text = useMessages(trialText);
  const models = useMessages(modelsText);
  const { version, state, pictures } = canary;
  const refused = session.mayManage ? undefined : models.mayNot;
  const button = (label: string, done: string, act: () => Promise<void>) => (
    <ActButton
      {...{ session, notices, label, refused }}
      act={() =>
        void attempt({ session, notices }, async () => {
          await act();
          notices.say(done);
        })
      }
    />
  );
  return (
    <section class="part canary" aria-label={text.report}>
      <h2>{text.report}</h2>
      <p>{sentence(canary, text)}</p>
      {state === 'running' && (
        <div class="actions">
          {button(text.promote, text.wasPromoted, () => detail.promoteCanary())}
          {button(text.giveUp, text.wasDropped, () => detail.dropCanary())}
        </div>
      )}
      {pictures.compared === 0 && state === 'running' && <p class="soft">{text.notYet}</p>}
      <CanaryNumbers canary={canary} />
      {canary.labels.length > 0 && (
        <table class="list">
          <TableHead
            names={[
              text.label,
              text.both,
              text.onlyStable({ version: canary.stable_version }),
              text.onlyStable({ version }),
            ]}
          />
          <tbody>
            {canary.labels.slice(0, SHOWN_LABELS).map(({ label, both, only_stable: stable, only_candidate: own }) => (
              <tr key={label}>
                <th scope="row">{label === '' ? text.words : label}</th>
                <td>{both}</td>
                <td>{stable}</td>
                <td>{own}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {canary.differing_pictures.length > 0 && (
        <>
          <h3>{text.pictures}</h3>
          <ul class="differing">
            {canary.differing_pictures.slice(0, SHOWN_PICTURES).map((picture) => (
              <DifferingPicture key={picture.id} {...{ detail, picture }} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function sentence(canary: Canary, text: ReturnType<typeof trialText.get>): string {
  const { version, stable_version: stable, state, reason } = canary;
  if (state === 'running') return text.running({ version, stable, share: percent(canary.share) });
  return state === 'ended' ? text.ended({ version, reason: reason ?? '' }) : text[state]({ version });
}

function percent(part: number): string {
  return new Intl.NumberFormat(language.get(), { style: 'percent', maximumFractionDigits: 1 }).format(part);
}

function CanaryNumbers({ canary }: { canary: Canary }) {
  const text = useMessages(trialText);
  const { agreement, pictures, units, latency, version, stable_version: stable } = canary;
  const facts: [string, string][] = [
    [text.agreement, agreement === null ? '' : percent(agreement)],
    [text.compared, String(pictures.compared)],
    [text.differing, String(pictures.differing)],
    [text.skipped, units.skipped === 0 ? '' : String(units.skipped)],
    [text.failed, units.failed === 0 ? '' : String(units.failed)],
    [text.lastError, units.last_error ?? ''],
    [`${text.latency}, ${stable}`, latencyText(latency.stable)],
    [`${text.latency}, ${version}`, latencyText(latency.candidate)],
  ];
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function latencyText(latency: RunLatency | null): string {
  if (latency === null) return '';
  return `${Math.round(latency.p50_seconds * 1000)} ms, ${Math.round(latency.p95_seconds * 1000)} ms`;
}

function DifferingPicture({ detail, picture }: { detail: ModelDetail; picture: CanaryPicture }) {
  const text = useMessages(trialText);
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    let isShown = true;
    void detail
      .canaryPicture(picture.id)
      .then((found) => isShown && setAddress(found))
      // It goes with its job: the words stay.
      .catch(() => undefined);
    return () => void (isShown = false);
  }, [picture.id]);
  const said = (sightings: readonly CanarySighting[]): string =>
    sightings.length === 0 ? text.nothingThere : sightings.map(({ label }) => label).join(', ');
  const caption = text.pictureAt({
    ...{ frame: picture.frame, stable: said(picture.stable), candidate: said(picture.candidate) },
  });
  return (
    <li>
      <figure>
        {address !== null && <img src={address} alt="" />}
        <figcaption>{caption}</figcaption>
      </figure>
    </li>
  );
}
