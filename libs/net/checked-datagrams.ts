import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { AddressPolicy } from './addresses.js';
import { notPermitted } from './resolve.js';

interface DatagramTarget {
  /** IP address that was checked: one of `permittedAddresses`. */
  address: string;
  port: number;
  addresses: AddressPolicy;
  /** Size of the system's buffer for what arrives, where the system allows it. */
  receiveBytes: number;
}

/**
 * Opens a UDP socket that sends to one permitted address, and receives from it alone. Throws SOURCE_REFUSED for an
 * address that is not permitted, else the system's error.
 */
export async function connectDatagrams({ address, port, addresses, receiveBytes }: DatagramTarget): Promise<Socket> {
  if (!addresses.permits(address)) throw notPermitted(address, address, addresses);
  const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', recvBufferSize: receiveBytes });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      // Its callback gets the error where there is one.
      socket.connect(port, address, (error?: Error | null) => (error ? reject(error) : resolve()));
    });
    const peer = socket.remoteAddress().address;
    if (!addresses.permits(peer)) throw notPermitted(address, peer, addresses);
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}
