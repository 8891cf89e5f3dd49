/** Groups of an address of IPv6, and those of its network. */
const [GROUPS, OF_NETWORK] = [8, 4];

/**
 * Returns the network that clients are counted by. A client has a whole /64 of IPv6, so only the first 64 bits count.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  // The place of the omitted zeros depends on the whole address.
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: GROUPS - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].slice(0, OF_NETWORK).join(':');
}
