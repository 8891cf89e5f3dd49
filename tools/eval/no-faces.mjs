// Faces that are none, on pictures of things and places out of a public repository.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RepositoryFiles } from './repository-files.mjs';
import { whereFetched } from './unseen.mjs';

/** Share of pictures without faces that may have a false one. */
const LIMIT = 1 / 500;

export function noFaces(analyser, row) {
  return whereFetched(row, 'things and places', async () => {
    const labels = JSON.parse(await readFile(join(import.meta.dirname, 'no-face-labels.json'), 'utf8'));
    const files = new RepositoryFiles(labels.repositories);
    const [repository] = Object.keys(labels.repositories);
    const faces = new Set(labels.withFaces);
    const without = (await files.list(repository)).filter(
      (name) => name.endsWith('.JPEG') && name >= labels.from && !faces.has(name),
    );
    const wrong = [];
    for (const name of without) {
      const found = await analyser.faces(await files.path(`${repository}/${name}`));
      if (found.length > 0) wrong.push(name);
    }
    const most = Math.floor(without.length * LIMIT);
    row(
      `${without.length} pictures of things and places: those with a false face`,
      String(wrong.length),
      `at most ${most}`,
      wrong.length <= most,
    );
    for (const name of wrong) row(`  ${name}`, '');
  });
}
