import { errorCode } from '@adit/contracts';

/** Resources that this machine lacks for a while, by the code of the system. */
const SCARCE: Readonly<Record<string, string>> = {
  EAGAIN: 'the system lacks something at this moment',
  EMFILE: 'this process has too many files open',
  ENFILE: 'the system has too many files open',
  ENOMEM: 'memory is short',
};

/** Errors of a disk or a network share (NFS, SMB, FUSE) that may work again later. */
const AWAY: Readonly<Record<string, string>> = {
  ECONNABORTED: 'the network share is away',
  EHOSTDOWN: 'the server of the network share is down',
  EHOSTUNREACH: 'the server of the network share cannot be reached',
  EIO: 'the disk or the network share fails',
  ENETDOWN: 'the network is down',
  ENETUNREACH: 'the network share cannot be reached',
  ENOTCONN: 'the network share is away',
  EREMOTEIO: 'the disk or the network share fails',
  ESTALE: 'the network share was mounted anew',
  ETIMEDOUT: 'the network share does not answer',
};

const FULL: Readonly<Record<string, string>> = {
  EDQUOT: 'the disk quota is used up',
  ENOSPC: 'the disk is full',
};

/**
 * Names the resource that a failed call lacked; null if it failed of something else. The same work may succeed later.
 */
export function scarcity(error: unknown): string | null {
  return SCARCE[errorCode(error) ?? ''] ?? null;
}

/**
 * Why a file could not be read or written now and may be later; null when trying again is of no use. For errors of files alone: of a
 * connection the same codes mean something else.
 */
export function passingFault(error: unknown): string | null {
  return scarcity(error) ?? AWAY[errorCode(error) ?? ''] ?? null;
}

/** The same of a disk that is ours to write to: room on it may be made. */
export function diskFault(error: unknown): string | null {
  return passingFault(error) ?? FULL[errorCode(error) ?? ''] ?? null;
}

/** Tells whether a disk, or what may be used of it, is full. */
export function isDiskFull(error: unknown): boolean {
  return (errorCode(error) ?? '') in FULL;
}
