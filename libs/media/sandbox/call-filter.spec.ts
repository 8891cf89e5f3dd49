import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { tcpFilter } from './call-filter.js';

const EACCES = 13;

/** Exit code of a Perl program under the filter that leaves one port: 0, or the number of the error. */
function under(program: string): number | null {
  const [command = '', ...rest] = [...tcpFilter(1, true), 'perl', '-MSocket', '-e', program];
  return spawnSync(command, rest).status;
}

(process.platform === 'linux' ? describe : describe.skip)('a child that may use one port', () => {
  it.each([
    ['TCP', 'AF_INET, SOCK_STREAM, 6'],
    ['the usual kind of streams', 'AF_INET, SOCK_STREAM, 0'],
  ])('gets sockets of %s', (_, kind) => {
    expect(under(`socket(my $s, ${kind}) or exit $!`)).toBe(0);
  });

  it.each([
    ['UDP', 'AF_INET, SOCK_DGRAM, 17'],
    ['IPv6', 'AF_INET6, SOCK_STREAM, 6'],
    ['UNIX', 'AF_UNIX, SOCK_STREAM, 0'],
    ['other protocols of streams', 'AF_INET, SOCK_STREAM, 262'],
  ])('gets none of %s', (_, kind) => {
    expect(under(`socket(my $s, ${kind}) or exit $!`)).toBe(EACCES);
  });

  it('sends on a connection it has, and makes none by sending', () => {
    const flagged = 'socket(my $s, AF_INET, SOCK_STREAM, 6) or exit 1; defined send($s, "", 0x20000000) or exit $!';
    expect(under(flagged)).toBe(EACCES);
    const plain = 'socket(my $s, AF_INET, SOCK_STREAM, 6) or exit 1; defined send($s, "", 0x4000) or exit $!';
    expect(under(plain)).not.toBe(EACCES);
  });
});
