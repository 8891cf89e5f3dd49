import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readLabelledFolder } from './labelled-folder.js';

let root: string;
beforeEach(async () => (root = await mkdtemp(join(tmpdir(), 'adit-labelled-'))));
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(files: Record<string, unknown>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}
const read = (path = '') => readLabelledFolder(join(root, path));

const categories = [
  { id: 1, name: 'helmet' },
  { id: 2, name: 'vest' },
];
const image = (id: number | string, file: string) => ({ id, file_name: file, width: 640, height: 480 });
const box = (image_id: number | string, category_id: number | string, more = {}) => ({
  ...{ image_id, category_id, bbox: [10, 20, 30, 40], ...more },
});

describe('a folder of labelled pictures', () => {
  it('has a folder per label', async () => {
    await write({
      'cat/1.jpg': '',
      'cat/more/2.PNG': '',
      'dog/3.webp': '',
      'dog/notes.txt': '',
      'loose.jpg': '',
      '.git/x.jpg': '',
    });
    const { pictures, labels } = await read();
    expect(pictures.map(({ name, labels: [label] }) => [name, label])).toEqual([
      ['cat/1.jpg', 'cat'],
      ['cat/more/2.PNG', 'cat'],
      ['dog/3.webp', 'dog'],
    ]);
    expect(labels).toEqual(['cat', 'dog']);
    expect(pictures[0]).toMatchObject({ place: { path: join(root, 'cat/1.jpg') }, boxes: null, size: null });
  });

  it('has a list of boxes, including pictures without any', async () => {
    const annotations = [box(1, 1), box(1, 2, { iscrowd: 1 }), box(1, 1)];
    await write({
      'annotations.json': { categories, images: [image(1, 'a.jpg'), image(2, 'b.jpg')], annotations },
      'a.jpg': '',
      'b.jpg': '',
    });
    const { pictures, labels, missing } = await read();
    expect({ labels, missing }).toEqual({ labels: ['helmet', 'vest'], missing: [] });
    expect(pictures).toMatchObject([
      { name: 'a.jpg', labels: ['helmet', 'vest'], size: { width: 640, height: 480 } },
      { name: 'b.jpg', labels: [], boxes: [] },
    ]);
    expect(pictures[0]?.boxes?.map(({ label, isCrowd }) => [label, isCrowd])).toEqual([
      ['helmet', false],
      ['vest', true],
      ['helmet', false],
    ]);
    expect(await read('annotations.json')).toEqual(await read());
  });

  it('has the layout of COCO, CVAT or Roboflow', async () => {
    const list = {
      categories,
      images: [image('1', 'a.jpg'), image(2, './b.jpg'), image(3, 'gone.jpg')],
      annotations: [box(1, '1')],
    };
    await write({
      'annotations/instances_val.json': `\uFEFF${JSON.stringify(list)}`,
      'annotations/captions.json': { info: 1 },
    });
    await write({ 'val/a.jpg': '', 'val/b.jpg': '', 'train/gone.jpg': '', 'test/gone.jpg': '' });
    const { pictures, missing } = await read();
    expect(pictures.map(({ place }) => place)).toEqual(
      ['val/a.jpg', 'val/b.jpg'].map((file) => ({ path: join(root, file) })),
    );
    // Two files have this name.
    expect(missing).toEqual(['gone.jpg']);
    expect((await read('annotations/instances_val.json')).pictures).toHaveLength(2);
    await write({
      'parts/valid/_annotations.coco.json': list,
      'parts/valid/a.jpg': '',
      'parts/test/_annotations.coco.json': list,
    });
    await expect(read('parts')).rejects.toThrow(/has a list in each of test, valid: name the folder/);
    expect((await read('parts/valid')).missing).toEqual(['./b.jpg', 'gone.jpg']);
  });

  it('is labelled as a whole by a list without boxes', async () => {
    const annotations = [{ image_id: 1, category_id: 2 }];
    await write({ 'list.json': { categories, images: [image(1, 'a.jpg')], annotations }, 'a.jpg': '' });
    expect((await read()).pictures).toMatchObject([{ labels: ['vest'], boxes: null }]);
  });

  it('yields no picture outside of it, whatever a list says', async () => {
    await write({ 'secret.jpg': '', 'in/a.jpg': '' });
    const names = ['../secret.jpg', join(root, 'secret.jpg'), 'x/../../secret.jpg', '..\\secret.jpg', 'a.jpg'];
    const images = names.map((name, at) => image(at, name));
    await write({ 'in/annotations.json': { categories, images, annotations: [box(4, 1)] } });
    const { pictures, missing } = await read('in');
    expect(pictures.map(({ name }) => name)).toEqual(['a.jpg']);
    expect(missing).toEqual(names.slice(0, -1));
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['without a picture', { 'readme.txt': '' }, /has no labelled picture: give a folder with a folder for each label/],
    [
      'whose pictures are all missing',
      { 'l.json': { categories, images: [image(1, 'x.jpg')], annotations: [] } },
      /1 are missing, such as x\.jpg/,
    ],
    [
      'with two lists',
      { 'a.json': { categories, images: [], annotations: [] }, 'b.json': { categories, images: [], annotations: [] } },
      /several lists: .*a\.json.*b\.json/,
    ],
    ['with a list that is damaged', { 'a.json': '{"images": [' }, /a\.json is no JSON/],
    [
      'with a category that is not there',
      { 'a.json': { categories, images: [], annotations: [box(1, 9)] } },
      /annotations\.0: there is no category 9/,
    ],
    [
      'with a box of three numbers',
      { 'a.json': { categories, images: [], annotations: [box(1, 1, { bbox: [1, 2, 3] })] } },
      /annotations\.0\.bbox/,
    ],
  ])('is refused %s', async (_, files, message) => {
    await write(files);
    await expect(read()).rejects.toThrow(message);
  });
});
