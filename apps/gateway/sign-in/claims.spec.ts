import { expect, it } from '@jest/globals';
import { claimValues, grantsOf, mergedClaims, personOf } from './claims.js';

it('finds the values of a claim by its name, and within others', () => {
  const claims = {
    groups: ['a', 1, 'b'],
    'https://example.org/roles': 'c',
    realm_access: { roles: ['d'] },
    'x.y': 'e',
  };
  const names = ['groups', 'https://example.org/roles', 'realm_access.roles', 'x.y', 'none', '__proto__', ''];
  expect(claimValues({ groups: [] }, 'groups')).toEqual([]);
  expect(names.map((name) => claimValues(claims, name))).toEqual([['a', 'b'], ['c'], ['d'], ['e'], null, null, null]);
});

it('gives the highest role of each workspace, and nothing for what nobody named', () => {
  const roles = {
    reads: { role: 'reader' },
    rules: { role: 'admin' },
    sports: { role: 'member', workspace: '7B2E9C04-5D1F-4A68-B3C7-1E8F6A0D2594' },
  } as const;
  expect([...grantsOf(['rules', 'reads', 'sports', 'constructor', 'others'], roles)]).toEqual([
    [null, 'admin'],
    ['7b2e9c04-5d1f-4a68-b3c7-1e8f6a0d2594', 'member'],
  ]);
});

it('names people, never by an address of e-mail', () => {
  const named = (claims: object) => personOf('i', 's', { ...claims });
  expect(named({ name: ' Ada\u0007 Byron ', email: 'ada@example.org' })).toEqual({
    ...{ issuer: 'i', subject: 's', name: 'Ada Byron', email: 'ada@example.org', isEmailVerified: null },
  });
  expect(named({ preferred_username: 'ada@example.org' })).toMatchObject({ name: 'ada', email: null });
  expect(named({ name: 7, email: `${'a'.repeat(300)}@example.org` })).toMatchObject({
    name: 'a'.repeat(200),
    email: null,
  });
  expect(named({ email: '@' })).toMatchObject({ name: 'member', email: '@' });
});

/** @hardening privacy: An invitation is accepted by an address that somebody else has */
it('takes an address for verified only where whoever says the address says so', () => {
  const verified = (identity: object, info: object) =>
    personOf('i', 's', mergedClaims({ ...identity }, { ...info })).isEmailVerified;
  const [email, yes] = [{ email: 'ada@example.org' }, { email_verified: true }];
  expect(verified({ ...email, ...yes }, {})).toBe(true);
  expect(verified({ ...email, ...yes }, { name: 'Ada' })).toBe(true);
  expect(verified({}, { ...email, ...yes })).toBe(true);
  expect(verified({ ...email, ...yes }, email)).toBeNull();
  expect(verified(email, yes)).toBeNull();
  expect(verified({ ...email, email_verified: 'true' }, {})).toBe(false);
});
