import { lookup as systemLookup } from 'node:dns/promises';
import { AditError } from '@adit/contracts';
import type { AddressPolicy } from './addresses.js';

/** Resolves a host name to every address it has. */
export type ResolveHost = (hostname: string) => Promise<{ address: string; family: number }[]>;

/** SOURCE_REFUSED for an address that the policy does not permit, whatever would have answered there. */
export class AddressRefused extends AditError {
  constructor(message: string, options?: { cause: unknown }) {
    super('SOURCE_REFUSED', message, options);
  }
}

export function resolveBySystem(hostname: string): ReturnType<ResolveHost> {
  return systemLookup(hostname, { all: true });
}

/** Resolves a host name. Throws SOURCE_REFUSED when it has no address, or one that is not permitted. */
export async function resolvePermitted(
  hostname: string,
  addresses: AddressPolicy,
  resolveHost: ResolveHost,
): Promise<Awaited<ReturnType<ResolveHost>>> {
  const found = await resolveHost(hostname);
  const wrong = found.find(({ address }) => !addresses.permits(address));
  if (wrong) throw notPermitted(hostname, wrong.address, addresses);
  if (found.length === 0) throw new AditError('SOURCE_REFUSED', `${hostname} has no address.`);
  return found;
}

/** The address itself is for the log alone, as the cause. */
export function notPermitted(hostname: string, address: string, { refusal }: AddressPolicy): AddressRefused {
  const cause = new Error(`${hostname} led to ${address}`);
  return new AddressRefused(`The host ${hostname} is refused: what it leads to is ${refusal}.`, { cause });
}
