/**
 * Command words that permanently forbid a command some system calls by a seccomp filter, which any process may install
 * for itself. perl is the one program on every Debian and Ubuntu that can make arbitrary system calls; it then executes
 * the command. Exits with 1 on an unsupported kernel or architecture.
 */
function callFilter({ writes, port = 0 }: { writes: boolean; port?: number }): readonly string[] {
  return ['perl', '-e', `my ($writes, $tcp) = (${Number(writes)}, ${Number(port)});${PROGRAM}`];
}

const PROGRAM = String.raw`
my ($allow, $eacces) = (0x7fff0000, 0x00050000 | 13);
# By machine: seccomp's name of it, prctl's number, and those of what is refused:
# socket, io_uring_setup (another way to sockets), ptrace, process_vm_readv and process_vm_writev;
# creat, truncate, ftruncate, rename, renameat, renameat2, link, linkat, symlink, symlinkat, unlink, unlinkat, mkdir, mkdirat, rmdir,
# mknod, mknodat, chmod, fchmod, fchmodat, fchmodat2, openat2 and open_by_handle_at;
# where open and openat have their flags; bind and listen; and where sendto, sendmsg and sendmmsg have theirs.
my %machines = (
  x64   => [0xC000003E, 157, [41, 425, 101, 310, 311],
    [85, 76, 77, 82, 264, 316, 86, 265, 88, 266, 87, 263, 83, 258, 84, 133, 259, 90, 91, 268, 452, 437, 304],
    [[2, 24], [257, 32]], [49, 50], [[44, 40], [46, 32], [307, 40]]],
  arm64 => [0xC00000B7, 167, [198, 425, 117, 270, 271],
    [45, 46, 38, 276, 37, 36, 35, 34, 33, 52, 53, 452, 437, 265],
    [[56, 32]], [200, 201], [[206, 40], [211, 32], [269, 40]]],
);
my ($machine, $prctl, $sockets, $changes, $opens, $listens, $sends) = @{ $machines{${process.arch}} or exit 1 };
my ($socket, @others) = @$sockets;
my @refused = ($tcp ? @$listens : $socket, @others, $writes ? () : @$changes);
# Calls whose arguments are looked at: the number, then instructions, in which E jumps to the refusal.
my @checked;
push @checked, [$socket,
  [0x20, 0, 0, 16], [0x15, 0, 'E', 2],                          # of IPv4 only
  [0x20, 0, 0, 24], [0x54, 0, 0, 15], [0x15, 0, 'E', 1],        # as a stream only
  [0x20, 0, 0, 32], [0x15, 1, 0, 0], [0x15, 0, 'E', 6],         # of TCP only, which the rules below are of
  [0x06, 0, 0, $allow]] if $tcp;
# Connections are made by connect alone.
push @checked, map { [$_->[0], [0x20, 0, 0, $_->[1]], [0x45, 'E', 0, 0x20000000], [0x06, 0, 0, $allow]] } @$sends if $tcp;
push @checked, map { [$_->[0],
  [0x20, 0, 0, $_->[1]],
  [0x45, 'E', 0, 01 | 02 | 0100 | 01000],                       # to write, to write too, to make, to cut
  [0x06, 0, 0, $allow]] } @$opens unless $writes;
my $end = 5 + @refused;                 # where calls are refused
$end += @$_ for @checked;
my @filter = (
  [0x20, 0, 0, 4],                      # the machine, since numbers differ
  [0x15, 0, $end - 2, $machine],        # another one's calls are refused
  [0x20, 0, 0, 0],                      # the number of the call
  [0x35, $end - 4, 0, 0x40000000],      # x32, another numbering
);
push @filter, [0x15, $end - @filter - 1, 0, $_] for @refused;
my $check = 5 + @refused + @checked;
for (@checked) { push @filter, [0x15, $check - @filter - 1, 0, $_->[0]]; $check += $#$_ }
push @filter, [0x06, 0, 0, $allow];
for (@checked) {
  my (undef, @steps) = @$_;
  for (@steps) { my $at = @filter; push @filter, [map { $_ eq 'E' ? $end - $at - 1 : $_ } @$_] }
}
push @filter, [0x06, 0, 0, $eacces];
my $code = join '', map { pack 'SCCL', @$_ } @filter;
syscall($prctl, 38, 1, 0, 0, 0) == 0 or exit 1;                                    # no new privileges
if ($tcp) {
  # Landlock (Linux 6.7) permits connections to the one port: landlock_create_ruleset, _add_rule and _restrict_self.
  my ($bind, $connect, $by_port) = (1, 2, 2);
  my ($rules, $rule) = (pack('QQ', 0, $bind | $connect), pack('QQ', $connect, $tcp));
  my $set = syscall(444, $rules, length $rules, 0);
  $set < 0 or (syscall(445, $set, $by_port, $rule, 0) == 0 and syscall(446, $set, 0) == 0) or exit 1;
}
syscall($prctl, 22, 2, pack('S x6 P', scalar @filter, $code), 0, 0) == 0 or exit 1; # the filter
exec { $ARGV[0] } @ARGV;
exit 127;
`;

/**
 * Forbids sockets: for containers that may create no network namespace, and for UNIX sockets, which namespaces do not
 * cover.
 */
export const SOCKET_FILTER = callFilter({ writes: true });
/**
 * Also forbids opening files for writing and creating, moving or removing them: the command writes only to descriptors
 * that were opened for it.
 */
export const WRITE_FILTER = callFilter({ writes: false });
/** Words in front of a command that fail where Linux has no Landlock for the network (its ABI 4), and change nothing. */
export const PORT_RULES: readonly string[] = [
  'perl',
  '-e',
  'syscall(444, 0, 0, 1) < 4 and exit 1; exec { $ARGV[0] } @ARGV',
];
/**
 * As `SOCKET_FILTER`, or without `writes` as `WRITE_FILTER`, but permits outgoing TCP connections over IPv4, and where
 * Linux has Landlock for the network (6.7) only to this port. The address cannot be filtered here.
 */
export function tcpFilter(port: number, writes = false): readonly string[] {
  return callFilter({ writes, port });
}
