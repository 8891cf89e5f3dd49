// Checksums of all files, and cosign signatures of the checksums, the images and the chart.
import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ensurePublishedProgram } from '../servers/go.mjs';
import { SetupError } from '../setup/step.mjs';

const COSIGN = {
  name: 'cosign',
  title: 'cosign',
  module: 'github.com/sigstore/cosign/v3@v3.1.3',
  sum: 'h1:001JQRI/PJ/5T+g/kJ1KTvKFbb322+fomc+pHDZ/6sg=',
  main: './cmd/cosign',
};

/** @param {import('./run.mjs').Release} release */
export async function makeSignature(release) {
  const checksums = await writeChecksums(release);
  const said = [`${basename(checksums)} of ${release.files.length} files`];
  if (release.key === undefined) return [...said, 'not signed: no --key'];
  if (process.env.COSIGN_PASSWORD === undefined) {
    throw new SetupError(
      'Put the password of the key into COSIGN_PASSWORD, or set that to nothing for a key without one.',
    );
  }
  const cosign = await ensurePublishedProgram(release.step, COSIGN);
  const scratch = mkdtempSync(join(tmpdir(), 'adit-signature-'));
  try {
    return [...said, ...(await sign(release, cosign, checksums, scratch))];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function sign({ step, key, out, plainHttp, pushed }, cosign, checksums, scratch) {
  step.begin('Signing');
  const advice = 'Is --key a private key of cosign, and COSIGN_PASSWORD its password?';
  const run = (...args) => step.exec(cosign, args, { advice });
  // A private installation uses no public log and no time stamp.
  const config = join(scratch, 'signing.json');
  await run('signing-config', 'create', '--out', config);
  const by = ['--yes', '--key', key, '--signing-config', config];
  const at = plainHttp ? ['--allow-http-registry'] : [];
  writeFileSync(join(out, 'cosign.pub'), await run('public-key', '--key', key));
  await run('sign-blob', ...by, '--bundle', `${checksums}.bundle`, checksums);
  const said = [`signed ${basename(checksums)}: ${basename(checksums)}.bundle, to be verified by cosign.pub`];
  for (const { reference, sboms } of pushed) {
    // An image of several platforms with all that it consists of.
    await run('sign', ...by, ...at, '--recursive', reference);
    said.push(`signed ${reference}`);
    for (const { reference: inside, file } of sboms) {
      await run('attest', ...by, ...at, '--type', 'cyclonedx', '--predicate', file, inside);
      said.push(`attested ${basename(file)} to ${inside}`);
    }
  }
  return said;
}

/** In the form that `sha256sum --check` reads. */
async function writeChecksums({ step, out, files }) {
  step.begin('Adding up');
  const lines = [];
  for (const file of files) {
    const hash = createHash('sha256');
    for await (const part of createReadStream(file)) hash.update(part);
    lines.push(`${hash.digest('hex')}  ${basename(file)}\n`);
  }
  const path = join(out, 'SHA256SUMS');
  writeFileSync(path, lines.join(''));
  return path;
}
