import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/internals/architecture.md'), 'utf8');

/** Text of the page's section with this heading. */
function section(title: string): string {
  const [, text] = page.split(`\n## ${title}\n`);
  if (text === undefined) throw new RangeError(`No section ${title}.`);
  return text.split('\n## ')[0]!;
}

/** The first cells of its table rows that name code, as `name`. */
function rowsOf(text: string): string[] {
  return [...text.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name]) => name!);
}

function packagesOf(parent: string): string[] {
  const found = readdirSync(join(root, parent), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return found.map(({ name }) => name).filter((name) => layerOf(`${parent}/${name}`) !== null);
}

/** The tag of a package; null for a folder that is none. */
function layerOf(folder: string): string | null {
  try {
    const manifest = readFileSync(join(root, folder, 'package.json'), 'utf8');
    const { nx } = JSON.parse(manifest) as { nx: { tags: string[] } };
    return nx.tags[0]!.replace(/^type:/, '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}

describe('docs/internals/architecture.md', () => {
  const folders = [
    ...packagesOf('apps').map((name) => `apps/${name}`),
    ...packagesOf('libs').map((name) => `libs/${name}`),
  ];

  it('has a row for every app and library', () => {
    expect(rowsOf(section('Services')).sort()).toEqual(folders.filter((folder) => folder.startsWith('apps/')).sort());
    const libraries = folders.filter((folder) => folder.startsWith('libs/')).map((folder) => folder.slice(5));
    expect(rowsOf(section('Layers')).sort()).toEqual(libraries.sort());
  });

  it('puts every package into the layer of its tag', () => {
    const told = [...section('Layers').matchAll(/^\| (\w+) +\|[^|]*\|([^|]*)\|$/gm)].flatMap(([, layer, packages]) =>
      [...packages!.matchAll(/`([^`]+)`/g)].map(([, name]) => `${name}: ${layer}`),
    );
    const tagged = [...folders, 'models'].map((folder) => `${folder.split('/').pop()!}: ${layerOf(folder)}`);
    expect(told.sort()).toEqual(tagged.sort());
  });

  it('names the tables that there are, all of them', () => {
    const entities = join(root, 'libs/database/entities');
    const tables = readdirSync(entities).flatMap((file) => {
      const text = readFileSync(join(entities, file), 'utf8');
      return [...text.matchAll(/^@Entity\('(\w+)'\)/gm)].map(([, table]) => table!);
    });
    const told = section('Tables');
    const related = [...told.matchAll(/^ +(\w+) \S+ (\w+) : /gm)].flatMap(([, one, other]) => [one!, other!]);
    const alone = [
      ...told
        .split('```')
        .pop()!
        .matchAll(/`(\w+)`/g),
    ].map(([, table]) => table!);
    expect([...new Set([...related, ...alone])].sort()).toEqual(tables.sort());
  });
});
