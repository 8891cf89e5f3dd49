/** What stands for an address where clients are counted by it: of IPv6 the first 64 bits, since one client has all the rest. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [before = ''] = address.split('::');
  return before.split(':').slice(0, 4).join(':');
}
