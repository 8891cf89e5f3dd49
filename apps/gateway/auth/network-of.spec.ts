import { describe, expect, it } from '@jest/globals';
import { networkOf } from './network-of.js';

describe('the network of an address', () => {
  it.each(['198.51.100.7', '::ffff:198.51.100.7'])('of IPv4 is itself: %s', (address) => {
    expect(networkOf(address)).toBe(address);
  });

  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff::1'],
    ['2001:db8:1:2::', '2001:db8:1:2::1'],
    // Zeros are left out where most of them are, which hangs on the rest of the address.
    ['2001:db8::1', '2001:db8:0:0:1::'],
    ['2a01::5:a:b:c:d', '2a01:0:0:5::1'],
    ['::1', '::2'],
  ])('an IPv6 network is one for all addresses that a client may have: %s and %s', (one, other) => {
    expect(networkOf(one)).toBe(networkOf(other));
  });

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['2a01::5:a:b:c:d', '2a01::6:a:b:c:d'],
    ['::1', '1::1'],
  ])('networks differ: %s and %s', (one, other) => {
    expect(networkOf(one)).not.toBe(networkOf(other));
  });
});
