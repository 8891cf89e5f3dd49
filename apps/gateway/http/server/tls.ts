import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext, Server as TlsServer } from 'node:tls';
import { AditError } from '@adit/contracts';
import { createLogger, setting, watchCertificates } from '@adit/runtime';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

const log = createLogger('gateway');
/** A certificate is renewed days before it ends. */
const CHECK_MS = 30_000;

export const TlsSettings = z.object({
  tlsCertFile: setting(
    'ADIT_TLS_CERT_FILE',
    z.string().min(1).optional(),
    'PEM file of the certificate that the API is served with, and those between it and its authority: HTTPS alone, probes and metrics of the gateway included. Looked at again every 30 s.',
  ),
  tlsKeyFile: setting(
    'ADIT_TLS_KEY_FILE',
    z.string().min(1).optional(),
    'PEM file of that certificate’s key, which has no password.',
  ),
});
export type TlsSettings = z.infer<typeof TlsSettings>;

interface Certificate {
  cert: string;
  key: string;
}

/** Returns the certificate of the API; null for HTTP. Throws VALIDATION for files that do not go together. */
export function certificateOf({ tlsCertFile, tlsKeyFile }: Partial<TlsSettings>): Certificate | null {
  if (tlsCertFile === undefined && tlsKeyFile === undefined) return null;
  if (tlsCertFile === undefined || tlsKeyFile === undefined) {
    throw new AditError('VALIDATION', 'HTTPS needs both ADIT_TLS_CERT_FILE and ADIT_TLS_KEY_FILE.');
  }
  const read = (name: string, file: string): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw new AditError('VALIDATION', `The file ${file} (${name}) cannot be read.`, { cause: error });
    }
  };
  const found = { cert: read('ADIT_TLS_CERT_FILE', tlsCertFile), key: read('ADIT_TLS_KEY_FILE', tlsKeyFile) };
  try {
    createSecureContext(found);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AditError(
      'VALIDATION',
      `ADIT_TLS_CERT_FILE and ADIT_TLS_KEY_FILE are no certificate with its key: ${why}`,
      {
        cause: error,
      },
    );
  }
  return found;
}

/** Has new connections see a certificate that was renewed in its file, and the page of metrics when it ends. Does nothing without one. */
export function renewCertificate(fastify: FastifyInstance, config: Partial<TlsSettings>, checkMs = CHECK_MS): void {
  const { server } = fastify;
  const { tlsCertFile, tlsKeyFile } = config;
  if (tlsCertFile === undefined || tlsKeyFile === undefined || !(server instanceof TlsServer)) return;
  watchCertificates({ ADIT_TLS_CERT_FILE: tlsCertFile });
  const renew = (): void => {
    try {
      const certificate = certificateOf(config);
      if (certificate === null) return;
      server.setSecureContext(certificate);
      log.info('the certificate was renewed');
    } catch (error) {
      // Between the two files, or for good: the one before goes on.
      log.warn({ err: error }, 'the files of the certificate changed and cannot be used');
    }
  };
  const files = [tlsCertFile, tlsKeyFile];
  for (const file of files) watchFile(file, { interval: checkMs, persistent: false }, renew);
  fastify.addHook('onClose', (_, done) => {
    for (const file of files) unwatchFile(file, renew);
    done();
  });
}

/** Returns the address that it listens at; Nest takes every server for one of HTTP. */
export async function addressOf(app: NestFastifyApplication): Promise<string> {
  const url = await app.getUrl();
  const { server } = app.getHttpAdapter().getInstance();
  return server instanceof TlsServer ? url.replace(/^http:/, 'https:') : url;
}
