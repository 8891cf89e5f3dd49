import type { Pictures } from '../../state/pictures.js';
import type { Notices } from '../../state/notices.js';
import type { Route } from '../../state/route.js';
import type { Session } from '../../state/session.js';

/** What pages of datasets, trainings and galleries are given. */
export interface DatasetPageProps {
  session: Session;
  route: Route;
  notices: Notices;
  pictures: Pictures;
}
