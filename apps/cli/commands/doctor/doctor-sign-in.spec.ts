import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signInFindings } from './doctor-sign-in.js';

describe('the doctor on signing in by a provider', () => {
  let server: Server;
  let issuer: string;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    server = createServer(({ url }, response) => {
      response.setHeader('content-type', 'application/json');
      const said = url?.startsWith('/other') ? 'https://id.example.org' : issuer;
      response.end(JSON.stringify({ issuer: said, authorization_endpoint: `${issuer}/auth` }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    env = {
      ...{ ADIT_OIDC_ISSUER: issuer, ADIT_OIDC_CLIENT_ID: 'adit', ADIT_PUBLIC_URL: 'https://adit.example.org' },
      ...{ ADIT_OIDC_ALLOW_HTTP: 'true', ADIT_OIDC_ALLOW_ADDRESSES: '127.0.0.1/32' },
    };
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('says nothing where there is none, and names the address that the provider has to know', async () => {
    expect(await signInFindings({})).toEqual([]);
    expect(await signInFindings(env)).toEqual([
      { state: 'good', what: expect.stringContaining('https://adit.example.org/console/oidc/callback') },
    ]);
  });

  it.each([
    ['ADIT_OIDC_CLIENT_ID', '', 'set ADIT_OIDC_CLIENT_ID'],
    ['ADIT_PUBLIC_URL', '', 'set ADIT_PUBLIC_URL'],
    ['ADIT_OIDC_ALLOW_HTTP', '', 'ADIT_OIDC_ALLOW_HTTP'],
    ['ADIT_OIDC_ALLOW_ADDRESSES', '', 'ADIT_OIDC_ALLOW_ADDRESSES'],
    ['ADIT_OIDC_ISSUER', 'other', 'does not match the expected issuer'],
    ['ADIT_OIDC_ROLES', '{"a": {"role": "owner"}}', 'ADIT_OIDC_ROLES is wrong'],
  ])('says what is wrong with %s', async (name, value, advice) => {
    const wrong = value === 'other' ? `${issuer}/other` : value;
    expect(await signInFindings({ ...env, [name]: wrong })).toEqual([
      { state: 'bad', what: expect.any(String), advice: expect.stringContaining(advice) },
    ]);
  });
});
