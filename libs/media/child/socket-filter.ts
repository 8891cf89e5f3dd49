/**
 * The words that run a command which can never open a socket: not where no network namespace may be made, as in a container,
 * and not one that is a file, which no namespace keeps away. It is a seccomp filter, which any process may put on itself. perl
 * is the one program on every Debian and Ubuntu that makes arbitrary system calls; it becomes the command. Ends with 1 where
 * the kernel or the machine is another.
 */
export const SOCKET_FILTER: readonly string[] = [
  'perl',
  '-e',
  String.raw`
my $eacces = 0x00050000 | 13;
# seccomp's name of the machine, prctl's number, and those of what is refused:
# socket, io_uring_setup (another way to sockets), ptrace, process_vm_readv and process_vm_writev.
my %machines = (
  x64   => [0xC000003E, 157, 41, 425, 101, 310, 311],
  arm64 => [0xC00000B7, 167, 198, 425, 117, 270, 271],
);
my ($machine, $prctl, @refused) = @{ $machines{${process.arch}} or exit 1 };
my $left = @refused;
my @filter = (
  [0x20, 0, 0, 4],                      # the machine, since numbers differ
  [0x15, 0, $left + 3, $machine],       # another one's calls are refused
  [0x20, 0, 0, 0],                      # the number of the call
  [0x35, $left + 1, 0, 0x40000000],     # x32, another numbering
  (map { [0x15, $left--, 0, $_] } @refused),
  [0x06, 0, 0, 0x7fff0000],
  [0x06, 0, 0, $eacces],
);
my $code = join '', map { pack 'SCCL', @$_ } @filter;
syscall($prctl, 38, 1, 0, 0, 0) == 0 or exit 1;                                    # no new privileges
syscall($prctl, 22, 2, pack('S x6 P', scalar @filter, $code), 0, 0) == 0 or exit 1; # the filter
exec { $ARGV[0] } @ARGV;
exit 127;
`,
];
