/** Groups of an address of IPv6, and those of its network. */
const [GROUPS, OF_NETWORK] = [8, 4];

/** What stands for an address where clients are counted by it: of IPv6 the first 64 bits, since one client has all the rest. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  // Where zeros are left out hangs on the whole address.
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: GROUPS - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].slice(0, OF_NETWORK).join(':');
}
