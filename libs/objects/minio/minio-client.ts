import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { AditError } from '@adit/contracts';
import { Client, type ClientOptions } from 'minio';
import type { MinioConfig } from '../config.js';
import { IdentityCredentials } from './minio-identity.js';
import { isFailure, refusalOf, replayed, ServerFailure } from './minio-refusals.js';

const MAX_SOCKETS = 128;

export interface MinioConnection {
  client: Client;
  /** The server in messages. */
  place: string;
  close(): void;
}

/** A client of the configured server; nothing is sent yet. Throws VALIDATION for an endpoint or a CA file of no use. */
export function connect(config: MinioConfig): MinioConnection {
  const endpoint = new URL(config.endpoint);
  if (endpoint.pathname !== '/' || endpoint.search !== '') {
    throw new AditError('VALIDATION', `S3_ENDPOINT is ${config.endpoint}: give scheme, host and port, without a path.`);
  }
  const useSSL = endpoint.protocol === 'https:';
  const ca = readCa(config.caFile);
  const sockets = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const agent = useSSL ? new https.Agent({ ...sockets, ca }) : new http.Agent(sockets);
  const options: ClientOptions = {
    endPoint: endpoint.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: endpoint.port === '' ? undefined : Number(endpoint.port),
    useSSL,
    accessKey: config.accessKey,
    secretKey: config.secretKey,
    region: config.region ?? 'us-east-1',
    pathStyle: config.pathStyle ?? true,
    transport: impatient(useSSL ? https : http, (config.idleSeconds ?? 30) * 1000),
    transportAgent: agent,
    // Its own repetitions write to the console and forget the reason; ours are in minio-errors.ts.
    retryOptions: { disableRetry: true },
  };
  // The package declares the class of providers twice, once for each kind of module, and its client's is the other.
  if (config.identity !== undefined) {
    Object.assign(options, { credentialsProvider: new IdentityCredentials(config.identity, ca) });
  }
  const client = new Client(options);
  return { client, place: endpoint.host, close: () => agent.destroy() };
}

/** HTTP whose requests end with ETIMEDOUT when the server neither takes nor sends a byte for so long. */
function impatient(transport: typeof http | typeof https, idleMs: number): Pick<typeof http, 'request'> {
  const silent = () => Object.assign(new Error(`no answer for ${idleMs / 1000} s`), { code: 'ETIMEDOUT' });
  const request = (options: https.RequestOptions, onResponse: (response: http.IncomingMessage) => void) => {
    let response: http.IncomingMessage | undefined;
    const sent = transport.request(options, (received) => {
      response = received;
      if ((received.statusCode ?? 0) < 400) return onResponse(received);
      // A refusal is a few lines: a server that takes longer for them has gone silent too.
      const late = setTimeout(() => received.destroy(silent()), idleMs);
      refusalOf(received)
        .finally(() => clearTimeout(late))
        .then(
          (refusal) => {
            if (isFailure(refusal.status)) sent.emit('error', new ServerFailure(refusal));
            else onResponse(replayed(received, refusal));
          },
          (error: Error) => sent.emit('error', error),
        );
    });
    const watch = () =>
      sent.setTimeout(idleMs, () => {
        // Bytes lie ready and nobody reads them: the reader is slow, not the server.
        if (response !== undefined && response.readableLength > 0) watch();
        else sent.destroy(silent());
      });
    watch();
    return sent;
  };
  // The client calls only this one of the overloads.
  return { request: request as typeof http.request };
}

function readCa(file: string | undefined): Buffer | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    throw new AditError('VALIDATION', `The certificate authority's file ${file} (S3_CA_FILE) cannot be read.`, {
      cause: error,
    });
  }
}
