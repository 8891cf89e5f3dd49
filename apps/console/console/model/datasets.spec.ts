import { describe, expect, it } from '@jest/globals';
import { placeOf } from '../state/route.js';
import {
  classAddress,
  datasetAddress,
  galleryAddress,
  galleryPersonAddress,
  isDatasetPlace,
  trainingAddress,
} from './datasets.js';

describe('pages of datasets', () => {
  it.each([
    ['#/datasets', { page: 'datasets' }],
    [datasetAddress('d'), { page: 'dataset', datasetId: 'd' }],
    [classAddress('d', 'c'), { page: 'class', datasetId: 'd', classId: 'c', show: 'all' }],
    [classAddress('d', 'c', 'outlier'), { page: 'class', datasetId: 'd', classId: 'c', show: 'outlier' }],
    ['#/datasets/d/c?show=nothing', { page: 'class', datasetId: 'd', classId: 'c', show: 'all' }],
    ['#/trainings', { page: 'trainings' }],
    [trainingAddress('t'), { page: 'training', trainingId: 't' }],
    ['#/galleries', { page: 'galleries', datasetId: '', search: '' }],
    [galleryAddress('d', 'a & ü'), { page: 'galleries', datasetId: 'd', search: 'a & ü' }],
    [galleryPersonAddress('d', 'c/1'), { page: 'gallery-person', datasetId: 'd', classId: 'c/1' }],
  ])('%s names its page', (address, place) => {
    expect(placeOf(address)).toEqual(place);
    expect(isDatasetPlace(placeOf(address))).toBe(true);
  });

  it('other pages are none of them', () => {
    expect(isDatasetPlace(placeOf('#/jobs'))).toBe(false);
    expect(placeOf('#/datasetz')).toEqual({ page: 'unknown' });
  });
});
