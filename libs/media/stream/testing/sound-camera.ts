import type { Socket } from 'node:net';
import { interleaved } from '../rtsp/message.js';
import { soundDescription, soundPacket, type Reply, type SeenRequest } from './rtsp-server.js';

/** Answers as a camera of sound does, which sends until its connection ends; `more` answers first where it wants to. */
export function soundCamera(more: (request: SeenRequest, socket: Socket) => Reply | null = () => null) {
  return (request: SeenRequest, socket: Socket): Reply => {
    const other = more(request, socket);
    if (other !== null) return other;
    switch (request.method) {
      case 'OPTIONS':
        return { headers: { Public: 'DESCRIBE, SETUP, PLAY, TEARDOWN' } };
      case 'DESCRIBE':
        return { headers: { 'Content-Type': 'application/sdp' }, body: soundDescription('track1') };
      case 'SETUP':
        return { headers: { Session: '123;timeout=60', Transport: 'RTP/AVP/TCP;unicast;interleaved=0-1' } };
      case 'PLAY':
        playTo(socket);
        return { headers: { Session: '123' } };
      default:
        return {};
    }
  };
}

/** Sends a packet of sound every 5 ms until the connection ends. */
export function playTo(socket: Socket): void {
  let sequence = 0;
  const timer = setInterval(() => socket.write(interleaved(0, soundPacket(sequence++))), 5);
  socket.once('close', () => clearInterval(timer));
}
