import { AditError } from '@adit/contracts';
import { AddressPolicy, type WebPolicy } from '@adit/net';
import { setting } from '@adit/runtime';
import { z } from 'zod';

/** As what a claim lets somebody in. Owners are keys alone. */
const Grant = z.strictObject({ role: z.enum(['reader', 'member', 'admin']), workspace: z.uuid().optional() });

/** How people sign in to the console by OpenID Connect, and how long they stay so. */
export const SignInSettings = z.object({
  oidcIssuer: setting(
    'ADIT_OIDC_ISSUER',
    z.url({ protocol: /^https?$/ }).optional(),
    'Address of the OpenID Connect provider by which people sign in to the console, as the provider calls itself; ADIT_PUBLIC_URL and ADIT_OIDC_CLIENT_ID go with it. Without one there are API keys alone.',
  ),
  oidcClientId: setting(
    'ADIT_OIDC_CLIENT_ID',
    z.string().max(256).optional(),
    'What the provider calls Adit. The address that it leads back to is `<ADIT_PUBLIC_URL>/console/oidc/callback`.',
  ),
  oidcClientSecret: setting(
    'ADIT_OIDC_CLIENT_SECRET',
    z.string().max(1_024).optional(),
    'Secret that the provider gave Adit; without one it has to know Adit as a public client.',
    { secret: true },
  ),
  oidcScopes: setting(
    'ADIT_OIDC_SCOPES',
    z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/)).default(['openid', 'profile', 'email']),
    'What the provider is asked for; `openid` always is.',
  ),
  oidcName: setting(
    'ADIT_OIDC_NAME',
    z.string().max(100).optional(),
    'Name of the provider on the sign-in page. Default: its host.',
  ),
  oidcContact: setting(
    'ADIT_OIDC_CONTACT',
    z.string().max(300).optional(),
    'Whom somebody asks who may sign in at the provider and belongs to no workspace, such as an address of e-mail; shown to everybody who opens the console.',
  ),
  oidcRoleClaim: setting(
    'ADIT_OIDC_ROLE_CLAIM',
    z.string().max(200).default('groups'),
    'Claim with the values that ADIT_OIDC_ROLES names, a text or a list of texts; within another one after a dot, as in `realm_access.roles`.',
  ),
  oidcRoles: setting(
    'ADIT_OIDC_ROLES',
    z.record(z.string(), Grant).default({}),
    'What values of the claim let people in as, such as `{"newsroom": {"role": "member", "workspace": "<id>"}}`; without a workspace into the oldest. Whoever has none of them needs an invitation.',
  ),
  oidcUnverifiedEmail: setting(
    'ADIT_OIDC_UNVERIFIED_EMAIL',
    z.boolean().default(false),
    'Whether an invitation may be accepted by an address of e-mail of which the provider does not say whether it is verified (no `email_verified`). Only for a provider at which nobody can set the address themselves.',
  ),
  oidcAllowHttp: setting(
    'ADIT_OIDC_ALLOW_HTTP',
    z.boolean().default(false),
    'Whether the provider may have http:// addresses, not only https://.',
  ),
  oidcAllowAddresses: setting(
    'ADIT_OIDC_ALLOW_ADDRESSES',
    z.array(z.string()).default([]),
    'Networks in CIDR form in which the provider may be although they are not public, e.g. 10.20.0.0/16.',
  ),
  sessionHours: setting(
    'ADIT_SESSION_HOURS',
    z
      .number()
      .positive()
      .max(24 * 30)
      .default(12),
    'Time after which somebody who signed in by the provider has to do so again.',
  ),
  sessionIdleMinutes: setting(
    'ADIT_SESSION_IDLE_MINUTES',
    z.number().min(2).max(43_200).default(60),
    'The same after the last request of the browser.',
  ),
});
export type SignInSettings = z.infer<typeof SignInSettings>;

/** What sign-in by a provider takes, once it is known to be complete. */
export interface SignInConfig extends SignInSettings {
  oidcIssuer: string;
  oidcClientId: string;
  /** Address of the gateway, with a slash at the end. */
  base: URL;
  policy: WebPolicy;
}

/** Null where no issuer is set. Throws VALIDATION for settings that do not go together. */
export function signInConfig(
  settings: SignInSettings & { publicUrl?: string | undefined; console: boolean },
): SignInConfig | null {
  const { oidcIssuer, oidcClientId, publicUrl, oidcAllowHttp: allowHttp, console } = settings;
  if (oidcIssuer === undefined || !console) return null;
  if (oidcClientId === undefined)
    throw new AditError('VALIDATION', 'ADIT_OIDC_ISSUER is set: set ADIT_OIDC_CLIENT_ID, too.');
  if (publicUrl === undefined) {
    throw new AditError(
      'VALIDATION',
      'ADIT_OIDC_ISSUER is set: set ADIT_PUBLIC_URL, which the provider leads back to.',
    );
  }
  const addresses = new AddressPolicy(settings.oidcAllowAddresses, 'ADIT_OIDC_ALLOW_ADDRESSES');
  return {
    ...settings,
    oidcIssuer,
    oidcClientId,
    base: publicBase(publicUrl),
    policy: { allowHttp, addresses },
  };
}

/** The same; null, too, where the settings do not go together: nobody signs in then. */
export function workingSignIn(settings: Parameters<typeof signInConfig>[0]): SignInConfig | null {
  try {
    return signInConfig(settings);
  } catch (error) {
    // What is wrong with them is said at the start.
    if (error instanceof AditError) return null;
    throw error;
  }
}

/** One spelling of an issuer, for comparing: a slash at the end is none. */
export function issuerOf(address: string): string {
  return new URL(address).href.replace(/\/$/, '');
}

/** Address of the gateway, with a slash at the end. */
export function publicBase(publicUrl: string): URL {
  return new URL(`${publicUrl.replace(/\/+$/, '')}/`);
}
