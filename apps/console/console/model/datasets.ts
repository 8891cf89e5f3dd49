import type { DatasetImage } from '@adit/client';

/** How an image stands to the others of its class. */
export type FaceClustering = NonNullable<DatasetImage['evaluation_result']['face_clustering']>;

/** Which images of a class are shown: all, those that are left out of trainings, or those with one finding. */
export type ImageShow = 'all' | 'inactive' | FaceClustering;

/** Findings that somebody looks at, the most telling first. */
export const FINDINGS = [
  'outlier',
  'duplicate',
  'no_face',
  'several_faces',
  'too_small',
  'too_blurred',
  'unreadable',
] as const satisfies FaceClustering[];

const SHOWS: readonly string[] = ['all', 'inactive', 'match', ...FINDINGS];

function isShow(text: string | null): text is ImageShow {
  return text !== null && SHOWS.includes(text);
}

/** Pages of datasets, of trainings, and of people whom datasets teach. */
export type DatasetPlace =
  | { page: 'datasets' }
  | { page: 'dataset'; datasetId: string }
  | { page: 'class'; datasetId: string; classId: string; show: ImageShow }
  | { page: 'trainings' }
  | { page: 'training'; trainingId: string }
  | { page: 'galleries'; datasetId: string; search: string }
  | { page: 'gallery-person'; datasetId: string; classId: string };

const PAGES: readonly string[] = [
  'datasets',
  'dataset',
  'class',
  'trainings',
  'training',
  'galleries',
  'gallery-person',
] satisfies DatasetPlace['page'][];

export function isDatasetPlace(place: { page: string }): place is DatasetPlace {
  return PAGES.includes(place.page);
}

/** The place that the parts of an address name; null where it is none of these. */
export function datasetPlaceOf(page: string, names: readonly string[], given: URLSearchParams): DatasetPlace | null {
  const [id = '', classId = ''] = names;
  const show = given.get('show');
  if (page === 'trainings') return id === '' ? { page } : { page: 'training', trainingId: id };
  if (page === 'galleries') {
    if (classId !== '') return { page: 'gallery-person', datasetId: id, classId };
    return { page, datasetId: id, search: given.get('search') ?? '' };
  }
  if (page !== 'datasets') return null;
  if (id === '') return { page };
  if (classId === '') return { page: 'dataset', datasetId: id };
  return { page: 'class', datasetId: id, classId, show: isShow(show) ? show : 'all' };
}

export function datasetAddress(datasetId: string): string {
  return `#/datasets/${encodeURIComponent(datasetId)}`;
}

export function classAddress(datasetId: string, classId: string, show: ImageShow = 'all'): string {
  return `${datasetAddress(datasetId)}/${encodeURIComponent(classId)}${show === 'all' ? '' : `?show=${show}`}`;
}

export function trainingAddress(trainingId: string): string {
  return `#/trainings/${encodeURIComponent(trainingId)}`;
}

export function galleryAddress(datasetId: string, search = ''): string {
  const query = search === '' ? '' : `?${new URLSearchParams({ search }).toString()}`;
  return `#/galleries${datasetId === '' ? '' : `/${encodeURIComponent(datasetId)}`}${query}`;
}

export function galleryPersonAddress(datasetId: string, classId: string): string {
  return `#/galleries/${encodeURIComponent(datasetId)}/${encodeURIComponent(classId)}`;
}
