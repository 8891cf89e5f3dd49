// Adds to the list of packages that npm delivered what else is in the image: Debian's packages (or Ubuntu's), Node, and the
// weights of models, each by its hash. CycloneDX 1.6; run at the end of the build.
//   node complete-sbom.mjs <sbom.cdx.json> <folder of models>
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [file, models] = process.argv.slice(2);

/** Fields of `NAME=value` lines, quotes taken off. */
const release = Object.fromEntries(
  readFileSync('/etc/os-release', 'utf8')
    .split('\n')
    .map((line) => /^(\w+)="?([^"]*)"?$/.exec(line)?.slice(1) ?? []),
);

function systemPackages() {
  const format = '${db:Status-Status} ${Package} ${Version} ${Architecture}\n';
  const listed = execFileSync('dpkg-query', ['--show', `--showformat=${format}`], { encoding: 'utf8' });
  return listed.split('\n').flatMap((line) => {
    const [status, name, version, architecture] = line.split(' ');
    if (status !== 'installed') return [];
    const at = `${release.ID}/${name}@${encodeURIComponent(version)}`;
    const purl = `pkg:deb/${at}?arch=${architecture}&distro=${release.ID}-${release.VERSION_ID}`;
    return [{ type: 'library', 'bom-ref': purl, name, version, purl }];
  });
}

function node() {
  const version = process.versions.node;
  const purl = `pkg:generic/node@${version}`;
  return { type: 'platform', 'bom-ref': purl, name: 'node', version, purl };
}

/** <models>/<name>/<version>/model.onnx; none where the image was built without. */
async function weights() {
  const found = [];
  const folders = readdirSync(models, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) {
    for (const version of readdirSync(join(models, name)).filter((each) => /^\d+$/.test(each))) {
      const path = join(models, name, version, 'model.onnx');
      if (!existsSync(path)) continue;
      const hash = createHash('sha256');
      for await (const part of createReadStream(path)) hash.update(part);
      const hashes = [{ alg: 'SHA-256', content: hash.digest('hex') }];
      found.push({ type: 'machine-learning-model', 'bom-ref': `model:${name}@${version}`, name, version, hashes });
    }
  }
  return found;
}

const bom = JSON.parse(readFileSync(file, 'utf8'));
bom.components = [...(bom.components ?? []), node(), ...systemPackages(), ...(await weights())];
writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
