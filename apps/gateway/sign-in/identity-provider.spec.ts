import { expect, it } from '@jest/globals';
import { refuseTemplate } from './identity-provider.js';

/** @hardening privacy: People of a tenant that nobody named sign in */
it('refuses an issuer that stands for every tenant', () => {
  expect(() => refuseTemplate('https://login.microsoftonline.com/{tenantid}/v2.0')).toThrow('name the tenant');
  expect(() =>
    refuseTemplate('https://login.microsoftonline.com/0c8f2b7d-5e14-4a96-8d3b-7f1a6e9c2d50/v2.0'),
  ).not.toThrow();
});
