import { count } from '@nanostores/i18n';
import { i18n } from './i18n.js';

/** Of people whom datasets teach. */
export const galleriesText = i18n('galleries', {
  title: 'Galleries',
  sections: 'Face indexes and galleries',
  indexes: 'Face indexes',
  dataset: 'Dataset',
  count: count({ one: '1 person', other: '{count} people' }),
  search: 'Search by name',
  none: 'There is no dataset of people yet',
  noneHint: 'People of a gallery are known by their photos. Make a dataset of people first.',
  toDatasets: 'To the datasets',
  nobody: 'Nobody is in this gallery yet.',
  noMatch: 'Nobody has this name.',
  add: 'New person …',
  addTitle: 'New person',
  create: 'Create',
  name: 'Name',
  back: 'All people of the gallery',
  notFound: 'There is no such person. They may have been erased.',
  hint: 'Photos teach what the person looks like; jobs know them after the next training.',
  openDataset: 'In the dataset',
});
