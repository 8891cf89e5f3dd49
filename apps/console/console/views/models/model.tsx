import { AditApiError, type Model } from '@adit/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { useMessages } from '../../messages/i18n.js';
import { modelsText } from '../../messages/models.en.js';
import { useModelText } from '../../messages/use-model.en.js';
import { ModelDetail } from '../../state/model-detail.js';
import type { Notices } from '../../state/notices.js';
import type { Route } from '../../state/route.js';
import type { Session } from '../../state/session.js';
import { ActButton } from '../act-button.js';
import { CanaryReport } from './canary-report.js';
import { faultMessage } from '../fault-text.js';
import { ModelTrial } from './model-trial.js';
import { ModelVersions } from './model-versions.js';
import { useModuleNames } from '../module-names.js';
import { UseModelDialog } from '../use-model-dialog.js';

export interface ModelPageProps {
  session: Session;
  route: Route;
  notices: Notices;
  modelId: string;
}

/** A model: its versions, what it finds on a picture, and how a version that is tried differs. */
export function ModelPage({ session, route, notices, modelId }: ModelPageProps) {
  const text = useMessages(modelsText);
  const detail = useMemo(() => new ModelDetail(session, modelId), [session, modelId]);
  useObserved(detail);
  useEffect(() => {
    const ends = new AbortController();
    void detail.follow(ends.signal);
    return () => ends.abort();
  }, [detail]);
  const { model, fault, canary } = detail;
  const name = model?.name ?? '';
  useEffect(() => void (document.title = name === '' ? 'Adit' : `${name} · Adit`), [name]);
  return (
    <div class="page one-model">
      <nav class="back" aria-label={text.back}>
        <a href="#/models">← {text.back}</a>
      </nav>
      {fault !== null && (
        <p class="fault" role="alert">
          {fault instanceof AditApiError && fault.status === 404 ? text.notFound : faultMessage(fault)}
        </p>
      )}
      {model === null && fault === null && <p class="soft">{text.loading}</p>}
      {model !== null && (
        <>
          <ModelHead {...{ session, route, notices, model }} />
          <div class="parts">
            <ModelVersions {...{ session, notices, detail, model }} />
            {model.modules.length > 0 && <ModelTrial {...{ session, notices, detail, model }} />}
            {canary !== null && <CanaryReport {...{ session, notices, detail, canary }} />}
            <ModelFacts model={model} />
          </div>
        </>
      )}
    </div>
  );
}

function ModelHead({ session, route, notices, model }: Omit<ModelPageProps, 'modelId'> & { model: Model }) {
  const text = useMessages(useModelText);
  const [asks, setAsks] = useState(false);
  const { name, description, modules } = model;
  return (
    <header class="heading">
      <h1>{name}</h1>
      {description !== '' && <p class="soft">{description}</p>}
      {modules.length > 0 && (
        <span class="actions">
          <ActButton {...{ session, notices, label: text.use, act: () => setAsks(true) }} />
        </span>
      )}
      {asks && <UseModelDialog {...{ session, route, name, modules }} onClose={() => setAsks(false)} />}
    </header>
  );
}

function ModelFacts({ model }: { model: Model }) {
  const text = useMessages(modelsText);
  const nameOf = useModuleNames();
  const { input, labels } = model;
  const facts: [string, string][] = [
    [text.kind, model.family ?? model.task],
    [text.modules, model.modules.map(nameOf).join(', ')],
    [text.scope, model.is_public ? text.isPublic : text[model.scope]],
    [text.input, input === null ? '' : `${input.width} × ${input.height}, ${input.colour}, ${input.resize}`],
    [text.licence, model.licence],
    [text.origin, model.origin],
    ['Id', model.id],
  ];
  return (
    <section class="part" aria-label={text.facts}>
      <h2>{text.facts}</h2>
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
      {labels !== null && labels.length > 0 && (
        <details class="keys">
          <summary>{text.ofLabels(labels.length)}</summary>
          <p>{labels.join(', ')}</p>
        </details>
      )}
    </section>
  );
}
