import { useEffect, useMemo } from 'preact/hooks';
import { useObserved } from '../../shared/observed.js';
import { shellText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import { isDatasetPlace } from '../model/datasets.js';
import { JobList } from '../state/job-list.js';
import { Models } from '../state/models.js';
import { Notices } from '../state/notices.js';
import { People } from '../state/people.js';
import type { Route } from '../state/route.js';
import { Search } from '../state/search.js';
import type { Session } from '../state/session.js';
import { JobsPage } from './jobs.js';
import { later } from './later.js';
import { Shell } from './shell.js';
import { SignIn } from './sign-in.js';

const DatasetPages = later(async () => (await import('./dataset-pages/pages.js')).DatasetPages);
const JobPage = later(async () => (await import('./job.js')).JobPage);
const AuditPage = later(async () => (await import('./audit/audit.js')).AuditPage);
const KeysPage = later(async () => (await import('./keys/keys.js')).KeysPage);
const HealthPage = later(async () => (await import('./health/health.js')).HealthPage);
const MembersPage = later(async () => (await import('./members/members.js')).MembersPage);
const ModelPage = later(async () => (await import('./models/model.js')).ModelPage);
const ModelsPage = later(async () => (await import('./models/models.js')).ModelsPage);
const PeoplePage = later(async () => (await import('./people/people.js')).PeoplePage);
const PersonPage = later(async () => (await import('./people/person.js')).PersonPage);
const SearchPage = later(async () => (await import('./search/search.js')).SearchPage);
const StreamPage = later(async () => (await import('./streams/stream.js')).StreamPage);
const StreamsPage = later(async () => (await import('./streams/streams.js')).StreamsPage);
const WebhookPage = later(async () => (await import('./webhooks/webhook.js')).WebhookPage);
const WebhooksPage = later(async () => (await import('./webhooks/webhooks.js')).WebhooksPage);
const StoragePage = later(async () => (await import('./storage/storage.js')).StoragePage);
const UsagePage = later(async () => (await import('./usage/usage.js')).UsagePage);
const SecretDialog = later(async () => (await import('./keys/keys.js')).SecretDialog);

interface AppProps {
  session: Session;
  route: Route;
}

export function App({ session, route }: AppProps) {
  useObserved(session, route);
  if (session.opening) return <div class="opening" aria-busy="true" />;
  const { me, secret } = session;
  return (
    <>
      {me === null || route.place.page === 'invitation' ? (
        <SignIn {...{ session, place: route.place }} />
      ) : (
        <SignedIn key={session.owner} session={session} route={route} />
      )}
      {secret !== null && <SecretDialog secret={secret} onClose={() => session.showSecret(null)} />}
    </>
  );
}

function SignedIn({ session, route }: AppProps) {
  useObserved(route);
  const text = useMessages(shellText);
  // Lists outlive their pages, so that the way back from a job leads to the same place.
  const list = useMemo(() => new JobList(session), [session]);
  const search = useMemo(() => new Search(session), [session]);
  const people = useMemo(() => new People(session), [session]);
  const models = useMemo(() => new Models(session), [session]);
  const notices = useMemo(() => new Notices(), []);
  const { place } = route;
  // The provider led back to somebody who is signed in already.
  useEffect(() => {
    if (place.page === 'sign-in') route.replace('#/jobs');
  }, [place, route]);
  return (
    <Shell {...{ session, route, notices }} page={place.page}>
      {place.page === 'jobs' && <JobsPage {...{ session, route, list, notices }} filter={place.filter} />}
      {place.page === 'job' && <JobPage key={place.jobId} {...{ session, route, notices, ...place }} />}
      {place.page === 'search' && <SearchPage {...{ session, route, notices, search }} question={place.question} />}
      {place.page === 'people' && <PeoplePage {...{ session, route, notices, people, ...place }} />}
      {place.page === 'person' && <PersonPage key={place.indexId} {...{ session, route, notices, people, ...place }} />}
      {place.page === 'models' && <ModelsPage {...{ session, route, notices, models }} />}
      {place.page === 'model' && <ModelPage key={place.modelId} {...{ session, route, notices, ...place }} />}
      {isDatasetPlace(place) && <DatasetPages {...{ session, route, notices, place }} />}
      {place.page === 'keys' && <KeysPage {...{ session, notices }} />}
      {place.page === 'members' && <MembersPage {...{ session, notices }} />}
      {place.page === 'streams' && <StreamsPage {...{ session, route, notices }} />}
      {place.page === 'stream' && <StreamPage key={place.jobId} {...{ session, notices, ...place }} />}
      {place.page === 'webhooks' && <WebhooksPage {...{ session, notices }} />}
      {place.page === 'webhook' && <WebhookPage key={place.webhookId} {...{ session, notices, ...place }} />}
      {place.page === 'health' && <HealthPage session={session} />}
      {place.page === 'storage' && <StoragePage {...{ session, route, notices, ...place }} />}
      {place.page === 'usage' && <UsagePage {...{ session, route, notices, ...place }} />}
      {place.page === 'audit' && <AuditPage {...{ session, route, notices, ...place }} />}
      {place.page === 'unknown' && (
        <div class="page">
          <h1>404</h1>
          <p>
            {text.notFound} <a href="#/jobs">{text.jobs}</a>
          </p>
        </div>
      )}
    </Shell>
  );
}
