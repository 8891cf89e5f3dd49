import ipaddr from 'ipaddr.js';
import { AditError } from '@adit/contracts';

/** Ranges that may be reached although they are not public, for tests and closed networks. */
export class AddressPolicy {
  private readonly allowed: ReturnType<typeof ipaddr.parseCIDR>[];

  /**
   * @param allowed CIDR notation (`10.1.0.0/16`, `fd00::/8`). Throws VALIDATION for anything else.
   * @param setting Which setting holds `allowed`, for those who are refused.
   */
  constructor(
    allowed: readonly string[] = [],
    private readonly setting: string | null = null,
  ) {
    this.allowed = allowed.map((cidr) => {
      try {
        return ipaddr.parseCIDR(cidr);
      } catch {
        throw new AditError('VALIDATION', `${cidr} is not an address range; write it as 10.1.0.0/16.`);
      }
    });
  }

  /** Why an address is refused. Never which one a host name led to: that would map a network for whoever asks. */
  get refusal(): string {
    const why = 'not a public address';
    return this.setting === null ? why : `${why} (${this.setting} names private ones that are allowed)`;
  }

  /** Tells whether a connection to this address may be made. `address` is an IP address in plain notation. */
  permits(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.parse(address);
    if (this.allowed.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits))) return true;
    return isPublic(parsed);
  }
}

/** Special blocks inside the global space that ipaddr.js counts as ordinary (IANA special-purpose registries). */
const SPECIAL = [
  '192.88.99.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.175.48.0/24',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
].map((cidr) => ipaddr.parseCIDR(cidr));
/** The only IPv6 space from which public addresses are given out; everything that embeds IPv4 or is local lies outside. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv6' && !address.match(GLOBAL_UNICAST[0], GLOBAL_UNICAST[1])) return false;
  return !SPECIAL.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
}
