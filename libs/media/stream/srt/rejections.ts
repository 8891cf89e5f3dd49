import type { AditError } from '@adit/contracts';
import { refused, unavailable } from '../live-faults.js';

interface Reason {
  text: string;
  /** Another try may help. */
  mayPass?: true;
}

/** Reasons of the protocol: types of handshakes. */
const REASONS: Readonly<Record<number, Reason>> = {
  // Without a reason: servers say so to streams that nobody sends yet.
  1000: { text: 'the server does not accept the connection', mayPass: true },
  1001: { text: 'the server failed', mayPass: true },
  // What MediaMTX says to everything: a wrong passphrase, a wrong password, and a stream that nobody sends.
  1002: {
    text: 'the server does not accept the connection and gives no reason: the stream id or the passphrase may be wrong, or nobody sends',
    mayPass: true,
  },
  1003: { text: 'the server has no room for another connection', mayPass: true },
  1004: { text: 'the server does not understand the handshake' },
  1005: { text: 'the server has no room for another connection', mayPass: true },
  1006: { text: 'the server failed', mayPass: true },
  1007: { text: 'the server is closing', mayPass: true },
  1008: { text: 'the server speaks another version of SRT' },
  1010: { text: 'the passphrase is wrong, or the server wants none' },
  1011: {
    text: 'only one end has a passphrase: it has to be in the address where the server has one, and nowhere else',
  },
  1012: { text: 'the server sends in file mode, and only live mode is read' },
  1013: { text: 'the server sends in file mode, and only live mode is read' },
  1014: { text: 'the server wants a packet filter, which is not supported' },
  1015: { text: 'the server wants a group of connections, which is not supported' },
  1016: { text: 'the server did not get ready in time', mayPass: true },
  1017: { text: 'the server wants another kind of encryption than AES-CTR' },
};

/** Reasons of servers, which are those of HTTP. */
const STATUSES: Readonly<Record<number, Reason>> = {
  400: { text: 'the server cannot read the stream id' },
  401: { text: 'the server does not accept the user name or the password in the stream id' },
  402: { text: 'the server is overloaded', mayPass: true },
  403: { text: 'the server forbids to read this stream' },
  404: { text: 'the server has no stream of this stream id', mayPass: true },
  405: { text: 'the server does not allow to read this stream; its stream id may have to say so' },
  406: { text: 'the server cannot serve what the stream id asks for' },
  409: { text: 'the stream is in use', mayPass: true },
  415: { text: 'the server does not have this kind of media' },
  423: { text: 'the stream is locked', mayPass: true },
};

/** Maps the type of a handshake that refuses a connection. */
export function rejectionFault(shown: string, type: number): AditError {
  const { text, mayPass } = reasonOf(type);
  const reason = `${text} (code ${type})`;
  return mayPass ? unavailable(shown, reason) : refused(shown, reason);
}

function reasonOf(type: number): Reason {
  // Some servers leave out the second thousand.
  const status = type >= 2000 ? type - 2000 : type - 1000;
  const known = REASONS[type] ?? STATUSES[status];
  if (known !== undefined) return known;
  return status >= 500 && status < 600
    ? { text: 'the server failed', mayPass: true }
    : { text: 'the server refuses it' };
}
