import type { Model, Prediction } from '@adit/client';
import { useId, useRef, useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { trialText } from '../../messages/models.en.js';
import { dataAddress } from '../../state/data-address.js';
import type { ModelDetail } from '../../state/model-detail.js';
import type { Notices } from '../../state/notices.js';
import type { Session } from '../../state/session.js';
import { ActButton } from '../act-button.js';
import { DropArea } from './drop-area.js';
import { faultMessage } from '../fault-text.js';
import { FramedPicture } from '../framed-picture.js';
import { hueOf } from '../timeline-drawing.js';

interface ModelTrialProps {
  session: Session;
  notices: Notices;
  detail: ModelDetail;
  model: Model;
}

/** What a version finds on a picture. */
export function ModelTrial({ session, notices, detail, model }: ModelTrialProps) {
  const text = useMessages(trialText);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [version, setVersion] = useState(model.default_version);
  const [picture, setPicture] = useState<string | null>(null);
  const [found, setFound] = useState<Prediction | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const take = async (file: File): Promise<void> => {
    setBusy(true);
    setFound(null);
    setFault(null);
    try {
      setPicture(await dataAddress(file));
      setFound(await detail.tryOn(file, version));
    } catch (error) {
      session.notice(error);
      setFault(faultMessage(error));
    }
    setBusy(false);
  };
  return (
    <section class="part trial" aria-label={text.title}>
      <h2>{text.title}</h2>
      <DropArea onFile={(file) => session.mayWrite && void take(file)}>
        {model.versions.length > 1 && (
          <label for={id}>
            {text.version}{' '}
            <select id={id} value={version} onChange={({ currentTarget }) => setVersion(Number(currentTarget.value))}>
              {model.versions.map(({ version_number: number }) => (
                <option key={number}>{number}</option>
              ))}
            </select>
          </label>
        )}
        <ActButton {...{ session, notices, busy, label: text.choose, act: () => input.current?.click() }} />
        <span>{text.drop}</span>
        <input
          ref={input}
          type="file"
          hidden
          accept="image/*"
          aria-label={text.choose}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            currentTarget.value = '';
            if (file !== undefined) void take(file);
          }}
        />
      </DropArea>
      <p class="soft">{text.hint}</p>
      <p role="status">{busy ? text.asking : found === null ? '' : text.found(found.results.length)}</p>
      {fault !== null && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {found !== null && <Found found={found} picture={picture} />}
    </section>
  );
}

/** The picture with boxes around what was found, and the same in words. */
function Found({ found, picture }: { found: Prediction; picture: string | null }) {
  const text = useMessages(trialText);
  const [isShown, setShown] = useState(true);
  const boxes = found.results.flatMap(({ label, detections }) =>
    detections.flatMap(({ data: { x, y, w, h } }) =>
      x === undefined || y === undefined || w === undefined || h === undefined ? [] : [{ label, x, y, w, h }],
    ),
  );
  return (
    <>
      {picture !== null && isShown && (
        <FramedPicture {...{ picture, boxes, size: found, alt: '' }} onError={() => setShown(false)} />
      )}
      {!isShown && <p class="soft">{text.cannotShow}</p>}
      {found.results.length === 0 ? (
        <p class="soft">{text.nothing}</p>
      ) : (
        <ul class="labels">
          {found.results.map(({ label, confidence }, at) => (
            <li key={at}>
              <span class="label">
                <i aria-hidden="true" style={{ '--hue': hueOf(label) }} />
                {label}
              </span>
              <small>{Math.round(confidence * 100)} %</small>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
