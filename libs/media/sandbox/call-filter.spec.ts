import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { hasLandlock } from '../testing/has-landlock.js';
import { PORT_RULES, tcpFilter } from './call-filter.js';
import { missingOf, works } from './confinement.js';

const EACCES = 13;
/** Words in front of a command that take Landlock away from it, as from an older Linux: its first call is not there. */
const OLDER_LINUX = [
  'perl',
  '-e',
  `my $prctl = ${process.arch === 'arm64' ? 167 : 157};
   my $filter = pack('SCCL' x 4, 0x20, 0, 0, 0, 0x15, 0, 1, 444, 0x06, 0, 0, 0x00050000 | 38, 0x06, 0, 0, 0x7fff0000);
   syscall($prctl, 38, 1, 0, 0, 0) == 0 && syscall($prctl, 22, 2, pack('S x6 P', 4, $filter), 0, 0) == 0 or exit 2;
   exec { $ARGV[0] } @ARGV`,
];

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

(process.platform === 'linux' ? describe : describe.skip)('Linux without Landlock for the network', () => {
  it('is noticed', async () => {
    expect(await works(PORT_RULES)).toBe(hasLandlock());
    expect(await works([...OLDER_LINUX, 'perl', '-e', 'exit 0'])).toBe(true);
    expect(await works([...OLDER_LINUX, ...PORT_RULES])).toBe(false);
  });

  it('is told to operators', () => {
    const words = ['true'];
    const means = { namespace: words, sockets: words, tcp: true, lifetime: words, limits: words };
    expect(missingOf({ ...means, ports: true })).toEqual([]);
    expect(missingOf({ ...means, ports: false })).toEqual([expect.stringMatching(/RTSP.*: Linux has no Landlock/)]);
  });
});
