import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { certificateEnds } from './metrics.js';

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const watched = new Map<string, string>();

/**
 * Has the page of metrics tell until when the certificates in files hold, by the setting that names each. They are read when the page is asked
 * for, so a renewed one shows; a file that cannot be read, or has no certificate, tells nothing.
 */
export function watchCertificates(files: Record<string, string | undefined>): void {
  for (const [setting, file] of Object.entries(files)) if (file !== undefined) watched.set(setting, file);
  certificateEnds(async (ends) => {
    ends.reset();
    for (const [setting, file] of watched) {
      const end = endOf(await readFile(file, 'utf8').catch(() => ''));
      if (end !== null) ends.set({ setting }, end);
    }
  });
}

function endOf(text: string): number | null {
  try {
    const ends = (text.match(PEM) ?? []).map((pem) => Date.parse(new X509Certificate(pem).validTo) / 1000);
    return ends.length === 0 ? null : Math.min(...ends);
  } catch {
    return null;
  }
}
