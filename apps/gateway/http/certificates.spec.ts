import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSignedCertificate } from '@adit/testing';
import { afterAll, expect, it } from '@jest/globals';
import { metricsPage, watchCertificates } from '@adit/runtime';

const folder = mkdtempSync(join(tmpdir(), 'adit-certificates-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lines = async () => {
  const { body } = await metricsPage();
  return body.split('\n').filter((line) => line.startsWith('adit_certificate_expires_timestamp_seconds{'));
};

it('tells when the certificate of a file ends, and says nothing of a file that has none', async () => {
  const { cert } = selfSignedCertificate(['127.0.0.1']);
  const file = join(folder, 'tls.crt');
  const torn = join(folder, 'torn.crt');
  writeFileSync(file, `a comment\n${cert}${cert}`);
  writeFileSync(torn, '-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n');
  watchCertificates({ A_FILE: file, B_FILE: undefined, C_FILE: join(folder, 'none.crt'), D_FILE: torn });
  const end = Date.parse(new X509Certificate(cert).validTo) / 1000;
  expect(await lines()).toEqual([`adit_certificate_expires_timestamp_seconds{setting="A_FILE"} ${end}`]);
  rmSync(file);
  expect(await lines()).toEqual([]);
});
