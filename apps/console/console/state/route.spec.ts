import { describe, expect, it } from '@jest/globals';
import { jobAddress, jobsAddress, placeOf } from './route.js';
import { serviceAddress } from './session.js';

describe('the fragment of the address', () => {
  it.each([
    ['', { page: 'jobs', filter: {} }],
    ['#/jobs', { page: 'jobs', filter: {} }],
    [
      '#/jobs?state=failed&media=video&search=a+b',
      { page: 'jobs', filter: { state: 'failed', mediaType: 'video', search: 'a b' } },
    ],
    ['#/jobs?state=broken&media=x', { page: 'jobs', filter: {} }],
    ['#/jobs/42?t=12.5', { page: 'job', jobId: '42', at: 12.5, source: 0 }],
    ['#/jobs/42?t=-1', { page: 'job', jobId: '42', at: null, source: 0 }],
    ['#/jobs/42?t=x&source=2', { page: 'job', jobId: '42', at: null, source: 2 }],
    ['#/jobs/42?source=1.5', { page: 'job', jobId: '42', at: null, source: 0 }],
    ['#/people', { page: 'people', collection: 'default_index', filter: { search: '', named: null } }],
    ['#/people/a%2Fb?named=no', { page: 'people', collection: 'a/b', filter: { search: '', named: false } }],
    ['#/people/x/0123456789', { page: 'person', collection: 'x', indexId: '0123456789' }],
    ['#/models', { page: 'models' }],
    ['#/models/42', { page: 'model', modelId: '42' }],
    ['#/storage', { page: 'storage', folder: '/' }],
    ['#/storage?folder=%2Fa%26b', { page: 'storage', folder: '/a&b' }],
    ['#/usage?by=key&from=2026-11-01', { page: 'usage', filter: { from: '2026-11-01', to: '', by: 'key' } }],
    ['#/audit?action=stop', { page: 'audit', filter: { actor: '', action: 'stop', resource: '', from: '', to: '' } }],
    ['#/sign-in?code=a-b', { page: 'sign-in', code: 'a-b', fault: null }],
    ['#/sign-in?fault=stranger', { page: 'sign-in', code: '', fault: 'stranger' }],
    ['#/sign-in?fault=x', { page: 'sign-in', code: '', fault: null }],
    ['#/invitation?token=a-b', { page: 'invitation', token: 'a-b' }],
    ['#/members', { page: 'members' }],
    ['#/elsewhere', { page: 'unknown' }],
    ['#/jobs/%zz', { page: 'unknown' }],
  ])('%s', (fragment, place) => {
    expect(placeOf(fragment)).toEqual(place);
  });

  it('addresses that are written are those that are read', () => {
    const filter = { state: 'failed', mediaType: 'video', search: 'a&b=ü' } as const;
    expect(placeOf(jobsAddress(filter))).toEqual({ page: 'jobs', filter });
    expect(placeOf(jobAddress('a/b'))).toEqual({ page: 'job', jobId: 'a/b', at: null, source: 0 });
    const moment = { at: 63.2, source: 3 };
    expect(placeOf(jobAddress('7', moment))).toEqual({ page: 'job', jobId: '7', ...moment });
  });
});

it.each([
  ['https://adit.example.org/console/', 'https://adit.example.org'],
  ['https://example.org/tools/adit/console/?x#/jobs', 'https://example.org/tools/adit'],
])('the service of %s is %s', (page, service) => {
  expect(serviceAddress(page)).toBe(service);
});
