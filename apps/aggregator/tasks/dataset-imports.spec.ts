import { RESOURCE_EVENT_DATA } from '@adit/contracts';
import { DatasetImageEntity } from '@adit/database';
import type { ZipEntry } from '@adit/ooxml';
import { describe, expect, it } from '@jest/globals';
import { askedFor, raised } from '../testing/raised-events.js';
import {
  useImportWorld,
  manager,
  jpeg,
  workspaceId,
  datasetId,
  stored,
  zipped,
  picture,
  imported,
  errorsOf,
  classes,
} from '../testing/dataset-import-world.js';

useImportWorld();

describe('an archive', () => {
  it('becomes classes by its folders, in a folder around them or not, and adds to existing ones', async () => {
    const files = ['people/Ada Lovelace/1.jpg', 'people/Ada Lovelace/old/1.jpg', 'people/Zoë/1.jpg'].map(picture);
    const junk = ['__MACOSX/people/._1.jpg', 'people/.DS_Store'].map((path) => ({ path, body: Buffer.from('x') }));
    const key = await stored(await zipped([...junk, ...files]));
    const made = await imported({ storageKey: key });
    expect(made).toMatchObject({ state: 'completed', files: 3, images: 3, classes: 2, errors: 0, errorMsg: null });
    expect(await classes()).toEqual([
      { label: 'Ada Lovelace', images: 2 },
      { label: 'Zoë', images: 1 },
    ]);
    const again = await imported({ storageKey: await stored(await zipped([picture('Zoë/2.jpg')])) });
    expect(again).toMatchObject({ state: 'completed', images: 1, classes: 0 });
    expect((await classes())[1]).toEqual({ label: 'Zoë', images: 2 });
    // Each picture is a file of its own, which is removed with its image.
    const images = await manager.findBy(DatasetImageEntity, { datasetId });
    expect(images.map(({ ownsFile, state }) => [ownsFile, state])).toEqual(Array(4).fill([true, 'waiting']));
    const rows = await manager.query(
      `SELECT e.size, e.content_type AS type FROM storage_entries e JOIN dataset_images i ON i.storage_key = e.key AND i.dataset_id = $1`,
      [datasetId],
    );
    expect(rows).toEqual(Array(4).fill({ size: String(jpeg.length), type: 'image/jpeg' }));
    expect(await manager.query('SELECT 1 FROM object_removals')).toEqual([]);
  });

  it('is announced to subscribed webhooks once it is imported, and not when the import failed', async () => {
    await manager.query('DELETE FROM outbox');
    await askedFor(manager, workspaceId, 'svc.dataset.import.on_completed');
    const made = await imported({ storageKey: await stored(await zipped([picture('Ada/1.jpg')])) });
    await imported({ storageKey: await stored(Buffer.from('no archive')) });
    const events = await raised(manager);
    expect(events.map(({ event }) => event)).toEqual(['svc.dataset.import.on_completed']);
    expect(RESOURCE_EVENT_DATA['svc.dataset.import.on_completed'].parse(events[0]!.data).import).toMatchObject({
      ...{ id: made.id, dataset_id: datasetId, state: 'completed', progress: 1, number_of_images: 1 },
    });
  });

  it('has a reason for each refused file, whatever its name and content, and takes the others', async () => {
    // The file is a valid picture: bytes after its end have no effect.
    const bomb = { path: 'Ada/bomb.jpg', body: Buffer.concat([jpeg, Buffer.alloc(150 * jpeg.length)]) };
    const plain = [picture('Ada/1.jpg'), { path: 'Ada/notes.txt', body: Buffer.from('no picture') }, bomb];
    const bytes = await zipped([
      ...plain,
      picture('loose.jpg'),
      picture('Ada/aa/escape.jpg'),
      { ...picture('Ada/damaged.jpg'), compress: false },
      ...['Ada/link.jpg', 'Ada/locked.jpg', 'Ada/huge.jpg', 'Ada/longer.jpg'].map(picture),
    ]);
    // No archive writer allows this: both headers are overwritten.
    const rename = (from: string, to: string) => {
      for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) bytes.write(to, at);
    };
    rename('Ada/aa/escape.jpg', '../../../scape.jpg'.slice(0, 17));
    const damaged = bytes.indexOf('Ada/damaged.jpg') + Math.floor(jpeg.length / 2);
    bytes.writeUInt8(bytes.readUInt8(damaged) ^ 0xff, damaged);
    // The name follows 46 bytes of the central header: flags at 8, the size at 24, the kind of file at 38.
    const header = (path: string) => bytes.lastIndexOf(path) - 46;
    bytes.writeUInt32LE(0o120777 * 2 ** 16, header('Ada/link.jpg') + 38);
    bytes.writeUInt16LE(bytes.readUInt16LE(header('Ada/locked.jpg') + 8) | 1, header('Ada/locked.jpg') + 8);
    bytes.writeUInt32LE(65 << 20, header('Ada/huge.jpg') + 24);
    bytes.writeUInt32LE(jpeg.length - 1, header('Ada/longer.jpg') + 24);
    const made = await imported({ storageKey: await stored(bytes) });
    expect(made).toMatchObject({ state: 'completed', files: 10, images: 1, classes: 1, errors: 9 });
    const errors: { file: string; code: string; message: string }[] = await manager.query(
      'SELECT file, code, message FROM dataset_import_errors WHERE import_id = $1 ORDER BY position',
      [made.id],
    );
    expect(errors).toEqual(
      [
        ['Ada/notes.txt', 'unreadable', /^The file is text, not media/],
        ['Ada/bomb.jpg', 'unreadable', /^It unpacks to more than 100 times its size/],
        ['loose.jpg', 'no_class', /./],
        ['../../../scape.jp', 'invalid_name', /./],
        ['Ada/damaged.jpg', 'unreadable', /^It is damaged: its checksum is wrong/],
        ['Ada/link.jpg', 'unreadable', /^It is a link/],
        ['Ada/locked.jpg', 'unreadable', /^It is encrypted/],
        ['Ada/huge.jpg', 'unreadable', /^It has \d+ bytes, at most \d+ are taken/],
        ['Ada/longer.jpg', 'unreadable', /^The archive cannot be read: too many bytes/],
      ].map(([file, code, message]) => ({ file, code, message: expect.stringMatching(message as RegExp) })),
    );
    expect(await classes()).toEqual([{ label: 'Ada', images: 1 }]);
  });

  it.each<[string, () => Promise<Buffer> | Buffer, string]>([
    ['nothing', () => Buffer.alloc(0), 'neither a zip archive nor a CSV'],
    ['no archive', () => Buffer.from('PK, but no archive'), 'The archive cannot be read'],
    ['an empty archive', () => zipped([]), 'no picture'],
    ['nothing that can be used', () => zipped([{ path: 'Ada/1.jpg', body: Buffer.from('text') }]), 'None of 1 files'],
    [
      'a list that is none',
      () => zipped([{ path: 'dataset.json', body: Buffer.from('{') }]),
      'dataset.json is no JSON',
    ],
  ])('that is %s fails with the reason', async (_, bytes, reason) => {
    const made = await imported({ storageKey: await stored(await bytes()) });
    expect(made).toMatchObject({ state: 'failed', images: 0 });
    expect(made.errorMsg).toContain(reason);
    expect(made.timeExpiration?.getTime()).toBeGreaterThan(Date.now());
  });
});

describe('a CSV of references', () => {
  it('names files of the storage with their fields; wrong lines are named', async () => {
    const key = await stored(jpeg, '/photos', '1.jpg', 'image/jpeg');
    const text = await stored(Buffer.from('x'), '/photos', '1.txt', 'text/plain');
    const lines = [
      'Label;file_uri;Reference;active;notes',
      `Ada;storage://${key};a-1;no;"left; blurred"`,
      `Ada;storage://${key};a-1;;`,
      `Ada;storage://${key};;;`,
      'Ada;https://example.org/a.jpg;;;',
      `;storage://${key};;;`,
      `Ada;storage://${text};;;`,
      'Ada;storage://nowhere;;;',
      `Ada;storage://${key};;perhaps;`,
    ];
    const list = await stored(Buffer.from(lines.join('\r\n')), '/', 'people.csv', 'text/csv');
    const made = await imported({ storageKey: list });
    expect(made).toMatchObject({ state: 'completed', files: 8, images: 3, classes: 1, errors: 5 });
    expect(await errorsOf(made.id)).toEqual([
      'line 5 source_refused',
      'line 6 invalid_line',
      'line 9 invalid_line',
      'line 7 source_refused',
      'line 8 source_refused',
    ]);
    const images = await manager.find(DatasetImageEntity, { where: { datasetId }, order: { seq: 'ASC' } });
    expect(images.map((image) => [image.active, image.notes, image.ownsFile, image.storageKey])).toEqual([
      [false, 'left; blurred', false, key],
      [true, '', false, key],
      [true, '', false, key],
    ]);
  });
});

describe('an import without images', () => {
  const coco = (file: string) =>
    JSON.stringify({
      categories: [{ id: 1, name: 'Ada' }],
      images: [{ id: 1, file_name: file }],
      annotations: [{ id: 1, image_id: 1, category_id: 1 }],
    });
  const list = (content: string): ZipEntry => ({ path: 'result.json', body: Buffer.from(content) });

  it.each<[string, () => Promise<string>, string]>([
    [
      'a list of other pictures',
      async () => stored(await zipped([list(coco('a.jpg')), picture('b.jpg')])),
      'of 2 files',
    ],
    [
      'a list without pictures',
      async () => stored(await zipped([list(coco('a.jpg'))])),
      'result.json names 1 pictures',
    ],
    ['a README', async () => stored(await zipped([{ path: 'README.md', body: Buffer.from('x') }])), 'no picture'],
    ['pictures in no class', async () => stored(await zipped([picture('images/1.jpg')])), 'None of 1 files'],
    ['a header', () => stored(Buffer.from('file_uri,label\n'), '/', 'a.csv', 'text/csv'), 'nothing to import'],
    ['blank rows', () => stored(Buffer.from('file_uri;label\n;\n;;\n'), '/', 'a.csv', 'text/csv'), 'nothing to import'],
    [
      'a list alone',
      () => stored(Buffer.from(coco('a.jpg')), '/', 'a.json'),
      'a.json is a list of COCO without its pictures',
    ],
    ['another archive', () => stored(Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1'), '/', 'a.7z'), 'a.7z is a 7z archive'],
  ])('from %s has failed, with the reason', async (_, key, reason) => {
    const made = await imported({ storageKey: await key() });
    expect(made).toMatchObject({ state: 'failed', images: 0, classes: 0 });
    expect(made.errorMsg).toContain(reason);
    expect(await classes()).toEqual([]);
  });

  it('from a folder has failed, with the reason', async () => {
    await stored(jpeg, '/camera/images', '1.jpg', 'image/jpeg');
    const made = await imported({ folder: '/camera' });
    expect(made).toMatchObject({ state: 'failed', images: 0, errors: 1 });
    expect(made.errorMsg).toContain('/camera/images/1.jpg: It lies in the folder images, which is none of a class');
    await stored(Buffer.from('x'), '/litter', '.DS_Store', 'text/plain');
    expect(await imported({ folder: '/litter' })).toMatchObject({ state: 'failed', errorMsg: expect.any(String) });
  });
});

describe('a folder of the storage', () => {
  it('may be the export of a tool: its list names the classes', async () => {
    const list = {
      categories: [
        { id: 1, name: 'Ada' },
        { id: 2, name: 'people' },
      ],
      images: [
        { id: 1, file_name: '1.jpg' },
        { id: 2, file_name: 'gone.jpg' },
      ],
      annotations: [
        { id: 1, image_id: 1, category_id: 1 },
        { id: 2, image_id: 2, category_id: 1 },
      ],
    };
    await stored(jpeg, '/coco/images/default', '1.jpg', 'image/jpeg');
    await stored(jpeg, '/coco/images/default', '2.jpg', 'image/jpeg');
    await stored(Buffer.from(JSON.stringify(list)), '/coco/annotations', 'instances_default.json', 'application/json');
    const made = await imported({ folder: '/coco' });
    expect(made).toMatchObject({ state: 'completed', files: 3, images: 1, classes: 1, errors: 2 });
    expect(await errorsOf(made.id)).toEqual(['/coco/images/default/2.jpg not_listed', 'gone.jpg missing']);
    expect(await classes()).toEqual([{ label: 'Ada', images: 1 }]);
  });

  it('becomes classes by the folders in it', async () => {
    for (const [at, name] of [
      ['/people/Ada', '1.jpg'],
      ['/people/Zoë/more', '2.jpg'],
      ['/people', 'loose.jpg'],
      ['/peoples/Nobody', '3.jpg'],
    ] as const) {
      await stored(jpeg, at, name, 'image/jpeg');
    }
    const made = await imported({ folder: '/people' });
    expect(made).toMatchObject({ state: 'completed', files: 3, images: 2, classes: 2, errors: 1 });
    expect(await errorsOf(made.id)).toEqual(['/people/loose.jpg no_class']);
    expect(await classes()).toEqual([
      { label: 'Ada', images: 1 },
      { label: 'Zoë', images: 1 },
    ]);
  });
});
