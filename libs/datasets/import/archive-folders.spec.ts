import { zipOf } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import { archiveSource } from './archive-source.js';
import { type Files, PICTURE, zipped, within, pictures, opened, taken, refusal } from './testing/archives.js';

const PAIR: Files = { 'Ada/1.jpg': PICTURE, 'Bob/2.jpg': PICTURE };

describe('folders of an archive', () => {
  it.each<[string, Files, Record<string, string>]>([
    ['a folder around them, with a README', { ...within('people', PAIR), 'people/README.txt': 'by me' }, {}],
    [
      'folders in folders around them',
      { ...within('a/b/c', PAIR), 'a/LICENSE': 'x', 'a/b/notes.md': 'x', 'about.pdf': 'x' },
      {},
    ],
    ['parts for training and testing', { ...within('set/train', { 'Ada/1.jpg': PICTURE }), ...within('set/test', { 'Bob/2.jpg': PICTURE }), 'README.roboflow.txt': 'x' }, {}], // prettier-ignore
    ['a folder images', within('images', PAIR), {}],
    ['a picture beside the folder around them', { ...within('people', PAIR), 'all.jpg': PICTURE }, { 'all.jpg': '! no_class' }], // prettier-ignore
    ['a picture in the folder around them', { ...within('people', PAIR), 'people/all.jpg': PICTURE }, { 'people/all.jpg': '! no_class' }], // prettier-ignore
    ['a picture in a part', { ...within('train', PAIR), 'train/all.jpg': PICTURE }, { 'train/all.jpg': '! no_class' }],
    ['a list that nobody reads beside them', { ...PAIR, 'notes.json': { by: 'me' } }, { 'notes.json': '! not_read' }],
    ['a document within a class', { ...PAIR, 'Ada/about.txt': 'x' }, { 'Ada/about.txt': 'Ada' }],
    ['names that begin with a point', { './Ada/1.jpg': PICTURE, './/Bob/./2.jpg': PICTURE }, {}],
    ['names of Windows', { 'people\\Ada\\1.jpg': PICTURE, 'people\\Bob\\2.jpg': PICTURE }, {}],
  ])('with %s are classes', async (_, files, others) => {
    const found = Object.entries(await taken(files));
    const classes = found.filter(([path]) => others[path] === undefined);
    expect(classes.map(([path, label]) => [path.split('/').at(-1), label])).toEqual([
      ['1.jpg', 'Ada'],
      ['2.jpg', 'Bob'],
    ]);
    expect(Object.fromEntries(found.filter(([path]) => others[path] !== undefined))).toEqual(others);
  });

  it.each([
    ['images/1.jpg', 'images/2.jpg'],
    ['train/1.jpg', 'valid/2.jpg'],
    ['people.v1i/train/1.jpg', 'people.v1i/valid/2.jpg'],
    ['export/images/default/1.jpg', 'export/images/default/2.jpg'],
    ['JPEGImages/1.jpg', 'Annotations/readme.txt'],
    ['obj_train_data/1.jpg', 'obj_train_data/2.jpg'],
    ['1.jpg', '2.jpg'],
  ])('of tools are ignored: %s, %s', async (...paths) => {
    const said = Object.entries(await taken(pictures(...paths)));
    expect(new Set(said.map(([, label]) => label))).toEqual(new Set(['! no_class']));
  });

  it.each([
    ['one class', pictures('Ada/1.jpg', 'Ada/2.jpg'), ['Ada']],
    ['one class in a folder', pictures('people/Ada/1.jpg'), ['Ada']],
    ['folders within a class', pictures('p/Ada/1.jpg', 'p/Ada/old/2.jpg', 'p/Zoë/new/3.jpg'), ['Ada', 'Zoë']],
    ['a name that is a part elsewhere', pictures('Val/1.jpg', 'Ada/2.jpg'), ['Val', 'Ada']],
    ['pictures without an end of their name', pictures('p/Ada/1', 'p/Bob/2'), ['Ada', 'Bob']],
  ])('may be %s', async (_, files, labels) => {
    expect([...new Set(Object.values(await taken(files)))]).toEqual(labels);
  });

  it('are refused where classes and other folders are ambiguous', async () => {
    expect(await refusal(pictures('people/1.jpg', 'people/Ada/2.jpg'))).toMatch(/people holds pictures, and Ada in it/);
  });
});

describe('an archive', () => {
  it.each([true, false])('is read when nested (compressed: %s)', async (compress) => {
    const inner = zipped(within('people', PAIR));
    const outer = zipped({ 'README.txt': 'x', 'export/people.zip': inner }, compress);
    expect(await taken(outer)).toEqual({ 'people/Ada/1.jpg': 'Ada', 'people/Bob/2.jpg': 'Bob' });
    const twice = zipped({ 'again.zip': outer });
    expect(await refusal(twice)).toMatch(/archive in an archive in an archive/);
    expect(await refusal({ 'a.zip': inner, 'b.zip': inner })).toMatch(/2 archives.*a\.zip/);
  });

  it('has the same limits when nested', async () => {
    const inner = zipped(PAIR);
    const bytes = zipped({ 'people.zip': inner }, false);
    const small = archiveSource(() => opened(bytes), PICTURE.length);
    await expect(small).rejects.toMatchObject({ code: 'TOO_LARGE', message: expect.stringContaining('unpacks to') });
    expect(await refusal({ 'people.zip': Buffer.from('PK, but none') })).toMatch(/people\.zip: The archive cannot/);
    const bomb = zipped({ 'people.zip': Buffer.alloc(8 << 20) });
    expect(await refusal(bomb)).toMatch(/people\.zip: It unpacks to more than 100 times/);
  });

  it('with UTF-8 names is read with and without the flag', async () => {
    const names = ['Jürgen Müller/1.jpg', 'Zoë/2.jpg', 'Ada/3.jpg'];
    const bytes = zipOf(
      names.map((name) => [name, PICTURE]),
      { flag: false },
    );
    expect(await taken(bytes)).toEqual({
      ...{ 'Jürgen Müller/1.jpg': 'Jürgen Müller', 'Zoë/2.jpg': 'Zoë', 'Ada/3.jpg': 'Ada' },
    });
    // Finder writes decomposed letters, a list composed ones.
    const apart = pictures('Zoe\u0308/1.jpg');
    expect(await taken({ ...apart, 'a.csv': 'filename,class\nZoë/1.jpg,Ada\n' })).toEqual({ 'Zoe\u0308/1.jpg': 'Ada' });
  });

  it('with names in another code page keeps them', async () => {
    const bytes = zipOf([[Buffer.from('J\x81rgen/1.jpg', 'latin1'), PICTURE]], { flag: false });
    expect(Object.values(await taken(bytes))).toEqual(['Jürgen']);
  });
});
