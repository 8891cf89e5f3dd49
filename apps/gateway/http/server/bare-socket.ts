import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { AditError } from '@adit/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PROBLEM_TYPE, problemOf } from '../problem.js';

/** Ends a request whose body is still coming, with an answer where none has begun. */
export function endUnanswered({ raw, id, url }: FastifyRequest, reply: FastifyReply, error: AditError): void {
  if (reply.raw.headersSent) raw.socket.destroy();
  else answerOnSocket(raw.socket, error, id, url.split('?')[0]);
}

/** Answers where there is no reply to send it with, and closes the connection. `instance` is the path, where it is known. */
export function answerOnSocket(socket: Socket, error: AditError, requestId: string, instance = '/'): void {
  if (socket.destroyed || !socket.writable) return;
  const body = JSON.stringify(problemOf(error, instance, requestId));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // The other end may go on sending; what comes is not wanted.
  socket.destroySoon();
}
