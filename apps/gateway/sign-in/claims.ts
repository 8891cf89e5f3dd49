import { isRecord } from '@adit/contracts';
import type { MemberEntity } from '@adit/database';
import type { SignInSettings } from '../auth/sign-in-settings.js';

/** What a provider says about whoever signed in. */
export type Claims = Record<string, unknown>;

type Role = MemberEntity['role'];

export interface Person {
  issuer: string;
  subject: string;
  name: string;
  email: string | null;
  /** Whether the provider knows that the address is theirs; null where it does not say. */
  isEmailVerified: boolean | null;
}

/** As long as RFC 5321 lets an address be; more is none. */
const MAX_EMAIL = 254;
const MAX_NAME = 200;
/** Values of a claim that are looked at; people are in hundreds of groups at the most. */
const MAX_VALUES = 1_000;
const RANKS: readonly Role[] = ['reader', 'member', 'admin'];

/** Names end up in the audit log, which outlives members: never an address of e-mail. */
export function personOf(issuer: string, subject: string, claims: Claims): Person {
  const email = textOf(claims['email']);
  const names = [claims['name'], claims['preferred_username'], claims['nickname'], claims['email']];
  const named = names.map((claim) => textOf(claim).split('@')[0]?.trim() ?? '').find((name) => name !== '');
  const hasEmail = email.includes('@') && email.length <= MAX_EMAIL;
  return {
    ...{ issuer, subject, name: (named ?? 'member').slice(0, MAX_NAME), email: hasEmail ? email : null },
    isEmailVerified: claims['email_verified'] === undefined ? null : claims['email_verified'] === true,
  };
}

/** What the id token says, and over it what the provider says when asked; whether an address is verified, as whoever says the address. */
export function mergedClaims(identity: Claims, info: Claims): Claims {
  const { email_verified: isVerified } = info['email'] === undefined ? identity : info;
  return { ...identity, ...info, email_verified: isVerified };
}

/** The texts of a claim: of that name, else within others whose names are those before its dots. Null where nothing is said of it. */
export function claimValues(claims: Claims, name: string): string[] | null {
  const within = (from: unknown, part: string): unknown =>
    isRecord(from) && Object.hasOwn(from, part) ? from[part] : undefined;
  const found = within(claims, name) ?? name.split('.').reduce<unknown>(within, claims);
  if (found === undefined || found === null) return null;
  const values: unknown[] = Array.isArray(found) ? found : [found];
  return values.slice(0, MAX_VALUES).filter((value) => typeof value === 'string');
}

/** The highest role that these values give, by workspace; null stands for the oldest one. */
export function grantsOf(values: readonly string[], roles: SignInSettings['oidcRoles']): Map<string | null, Role> {
  const grants = new Map<string | null, Role>();
  for (const value of values) {
    const grant = Object.hasOwn(roles, value) ? roles[value] : undefined;
    if (grant === undefined) continue;
    const workspace = grant.workspace?.toLowerCase() ?? null;
    grants.set(workspace, higher(grants.get(workspace), grant.role));
  }
  return grants;
}

export function higher(one: Role | undefined, other: Role): Role {
  return one !== undefined && RANKS.indexOf(one) > RANKS.indexOf(other) ? one : other;
}

/** Without what no name has: control characters, which terminals and logs would obey. */
function textOf(claim: unknown): string {
  return typeof claim === 'string' ? claim.replace(/\p{Cc}/gu, '').trim() : '';
}
