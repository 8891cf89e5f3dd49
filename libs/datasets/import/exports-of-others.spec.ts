import { AditError, elementAt } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import { archiveSource } from './archive-source.js';
import { type Files, PICTURE, zipped, json, within, pictures, opened, taken, refusal } from './testing/archives.js';

/** A list in COCO's format with a box of Ada or Bob in alternating pictures. */
function coco(names: string[], { id = (at: number): unknown => at, categories = ['Ada', 'Bob'] } = {}) {
  return {
    info: {},
    licenses: [],
    categories: categories.map((name, at) => ({ id: id(at + 1), name, supercategory: '' })),
    images: names.map((file_name, at) => ({ id: id(at + 1), file_name, width: 96, height: 96 })),
    annotations: names.map((_, at) => ({
      ...{ id: id(at + 1), image_id: id(at + 1), category_id: id((at % 2) + 1) },
      ...{ bbox: [1, 2, 30, 40], area: 1200, segmentation: [], iscrowd: 0 },
    })),
  };
}

const CVAT = `<?xml version="1.0" encoding="utf-8"?>
<annotations><version>1.1</version><meta><job><name>Ada &amp; co</name></job></meta>
<image id="0" name="a/1.jpg" width="96" height="96"><box label="Ada" source="manual" xtl="1" ytl="2" xbr="3" ybr="4" z_order="0"></box></image>
<image id="1" name="2.jpg" width="96" height="96"><tag label="O&apos;Neil &#x42;ob" source="manual"/><!-- <box label="x"/> --></image>
<image id="2" name="3.jpg" width="96" height="96"></image>
<image id="3" name="4.jpg"><polygon label="Ada" points="1,2;3,4"/><box label='Bob'/></image>
</annotations>`;

const VOC = (file: string, ...labels: string[]): string =>
  `<annotation verified="yes"><folder></folder><filename>${file}</filename><object-count>1</object-count>${labels
    .map((label) => `<object>\n<name>${label}</name><part><name>head</name></part><bndbox/></object>`)
    .join('')}</annotation>`;

const box = (label: string) => ({ x: 1, y: 2, width: 3, height: 4, rotation: 0, rectanglelabels: [label] });

const task = (image: string, ...labels: string[]) => ({
  id: 1,
  annotations: [
    { id: 7, was_cancelled: false, result: labels.map((label) => ({ type: 'rectanglelabels', value: box(label) })) },
  ],
  data: { image, title: 'no label' },
  predictions: [{ result: [{ value: box('Nobody') }] }],
});

const UPLOADED = '/data/upload/1/';

describe('an export of', () => {
  const ADA_AND_BOB = { 'images/1.jpg': 'Ada', 'images/2.jpg': 'Bob' };
  const IMAGES = pictures('images/1.jpg', 'images/2.jpg');
  it.each<[string, Files, Record<string, string>]>([
    ['COCO with names below a folder', { ...IMAGES, 'annotations.json': coco(['1.jpg', '2.jpg']) }, ADA_AND_BOB],
    ['COCO with names that begin with a point', { ...IMAGES, 'a.json': coco(['./images/1.jpg', '././images/2.jpg']) }, ADA_AND_BOB], // prettier-ignore
    ['COCO with names of Windows', { ...IMAGES, 'a.json': coco(['images\\1.jpg', 'C:\\set\\images\\2.jpg']) }, ADA_AND_BOB], // prettier-ignore
    ['COCO with addresses', { ...IMAGES, 'a.json': coco(['https://example.org/a/1.jpg?token=x/y.jpg', '/data/local-files/?d=images%2F2.jpg']) }, ADA_AND_BOB], // prettier-ignore
    ['COCO with names in other letters', { ...IMAGES, 'a.json': coco(['IMAGES/1.JPG', '2.Jpg']) }, ADA_AND_BOB],
    ['COCO with encoded names', { 'images/a b.jpg': PICTURE, 'a.json': coco(['images/a%20b.jpg']) }, { 'images/a b.jpg': 'Ada' }], // prettier-ignore
    ['COCO with a mark in front', { ...IMAGES, 'a.json': `\uFEFF${json(coco(['1.jpg', '2.jpg']))}` }, ADA_AND_BOB],
    ['COCO with text for numbers', { ...IMAGES, 'a.json': coco(['1.jpg', '2.jpg'], { id: String }) }, ADA_AND_BOB],
    ['COCO in a folder of its own', within('set', { ...IMAGES, 'coco/a.json': coco(['1.jpg', '2.jpg']) }), within('set', ADA_AND_BOB) as Record<string, string>], // prettier-ignore
    [
      'CVAT in COCO',
      {
        ...pictures('images/train/1.jpg', 'images/val/1.jpg', 'images/val/2.jpg'),
        'annotations/instances_train.json': coco(['1.jpg']),
        'annotations/instances_val.json': coco(['2.jpg', '1.jpg']),
      },
      { 'images/train/1.jpg': 'Ada', 'images/val/1.jpg': 'Bob', 'images/val/2.jpg': 'Ada' },
    ],
    [
      'Roboflow in COCO',
      {
        'README.dataset.txt': 'x',
        ...pictures('train/1.jpg', 'train/2.jpg', 'valid/1.jpg'),
        'train/_annotations.coco.json': coco(['1.jpg', '2.jpg']),
        'valid/_annotations.coco.json': coco(['gone.jpg', '1.jpg']),
      },
      { 'train/1.jpg': 'Ada', 'train/2.jpg': 'Bob', 'valid/1.jpg': 'Bob', 'gone.jpg': '! missing' },
    ],
    [
      'CVAT for images',
      { 'annotations.xml': CVAT, ...pictures('images/a/1.jpg', 'images/2.jpg', 'images/3.jpg', 'images/4.jpg') },
      {
        ...{ 'images/a/1.jpg': 'Ada', 'images/2.jpg': "O'Neil Bob" },
        ...{ 'images/3.jpg': '! no_class', 'images/4.jpg': '! several_classes' },
      },
    ],
    [
      'CVAT in Pascal VOC',
      {
        ...{ 'labelmap.txt': 'x', 'ImageSets/Main/default.txt': '1' },
        ...pictures('JPEGImages/1.jpg', 'JPEGImages/2.jpg', 'JPEGImages/3.jpg'),
        'Annotations/1.xml': VOC('1.jpg', 'Ada', 'Ada'),
        'Annotations/2.xml': VOC('2.jpg', 'Bob'),
        'Annotations/3.xml': VOC('3.jpg'),
      },
      { 'JPEGImages/1.jpg': 'Ada', 'JPEGImages/2.jpg': 'Bob', 'JPEGImages/3.jpg': '! no_class' },
    ],
    [
      'Roboflow in Pascal VOC',
      {
        ...pictures('train/1.jpg', 'test/1.jpg'),
        'train/1.xml': VOC('1.jpg', 'Ada'),
        'test/1.xml': VOC('1.jpg', 'Bob'),
      },
      { 'train/1.jpg': 'Ada', 'test/1.jpg': 'Bob' },
    ],
    [
      'Roboflow in YOLO',
      {
        'data.yaml': "train: ../train/images\nnc: 2\nnames: ['Ada', \"O'Neil\"]\nroboflow:\n  names: x\n",
        ...pictures('train/images/1.jpg', 'valid/images/1.jpg', 'valid/images/2.jpg', 'valid/images/3.jpg'),
        'train/labels/1.txt': '0 0.5 0.5 0.1 0.1\n0 0.5 0.5 0.1 0.1 0.2 0.3\n',
        'valid/labels/1.txt': '1 0.5 0.5 1e-3 0.1',
        'valid/labels/2.txt': '',
        'valid/labels/3.txt': '0 0 0 1 1\n1 0 0 1 1\n',
      },
      {
        ...{ 'train/images/1.jpg': 'Ada', 'valid/images/1.jpg': "O'Neil" },
        ...{ 'valid/images/2.jpg': '! no_class', 'valid/images/3.jpg': '! several_classes' },
      },
    ],
    [
      'Label Studio in YOLO',
      {
        ...IMAGES,
        ...{ 'classes.txt': 'Ada\nBob\n', 'notes.json': { categories: [{ id: 0, name: 'Ada' }], info: {} } },
        ...{ 'labels/1.txt': '0 0.5 0.5 0.1 0.1', 'labels/2.txt': '1 0.5 0.5 0.1 0.1' },
      },
      ADA_AND_BOB,
    ],
    [
      'CVAT in YOLO 1.1',
      {
        ...{ 'obj.names': 'Ada\nBob\n', 'obj.data': 'classes = 2', 'train.txt': 'data/obj_train_data/1.jpg' },
        ...pictures('obj_train_data/1.jpg', 'obj_train_data/2.jpg'),
        ...{ 'obj_train_data/1.txt': '1 0.5 0.5 0.1 0.1', 'obj_train_data/2.txt': '0 0.5 0.5 0.1 0.1' },
      },
      { 'obj_train_data/1.jpg': 'Bob', 'obj_train_data/2.jpg': 'Ada' },
    ],
    [
      'CVAT in YOLO of Ultralytics',
      {
        'data.yaml': 'path: .\ntrain: train.txt\nnames:\n  0: Ada\n  1: "Bob"\n',
        ...pictures('images/train/1.jpg', 'images/train/2.jpg'),
        ...{ 'labels/train/1.txt': '0 0.5 0.5 0.1 0.1', 'labels/train/2.txt': '1 0.5 0.5 0.1 0.1' },
      },
      { 'images/train/1.jpg': 'Ada', 'images/train/2.jpg': 'Bob' },
    ],
    [
      'Label Studio in JSON',
      {
        ...pictures('images/0a1b2c3d-1.jpg', 'images/2.jpg', 'images/3.jpg', 'images/4.jpg'),
        'project.json': [
          task(`${UPLOADED}0a1b2c3d-1.jpg`, 'Ada', 'Ada'),
          task(`${UPLOADED}4d3c2b1a-2.jpg`, 'Bob'),
          task(`${UPLOADED}3.jpg`),
          task(`${UPLOADED}4.jpg`, 'Ada', 'Bob'),
        ],
      },
      {
        ...{ 'images/0a1b2c3d-1.jpg': 'Ada', 'images/2.jpg': 'Bob' },
        ...{ 'images/3.jpg': '! no_class', 'images/4.jpg': '! several_classes' },
      },
    ],
    [
      'Label Studio in JSON-MIN',
      {
        ...IMAGES,
        'min.json': [
          { image: `${UPLOADED}1.jpg`, id: 1, label: [box('Ada')], annotator: 1, annotation_id: 5, lead_time: 2.5 },
          { image: `${UPLOADED}2.jpg`, id: 2, choice: 'Bob', annotator: 1, annotation_id: 6, lead_time: 2.5 },
        ],
      },
      ADA_AND_BOB,
    ],
    [
      'Label Studio in CSV',
      {
        ...IMAGES,
        'a.csv': `annotation_id,annotator,choice,image,label\n5,1,,${UPLOADED}1.jpg,"${json([box('Ada')]).replaceAll('"', '""')}"\n6,1,Bob,${UPLOADED}2.jpg,\n,,,,\n`,
      },
      ADA_AND_BOB,
    ],
    [
      'Roboflow in a table of several classes',
      {
        ...pictures('train/1.jpg', 'train/2.jpg', 'train/3.jpg'),
        'train/_classes.csv': 'filename, Ada, Bob\n1.jpg, 1, 0\n2.jpg, 0, 1\n3.jpg, 1, 1\n',
      },
      { 'train/1.jpg': 'Ada', 'train/2.jpg': 'Bob', 'train/3.jpg': '! several_classes' },
    ],
    [
      'Roboflow in a table of boxes',
      {
        ...pictures('train/1.jpg', 'train/2.jpg'),
        'train/_annotations.csv':
          'filename,width,height,class,xmin,ymin,xmax,ymax\n1.jpg,9,9,Ada,1,2,3,4\n2.jpg,9,9,Bob,1,2,3,4\n2.jpg,9,9,Bob,2,2,3,4\n',
      },
      { 'train/1.jpg': 'Ada', 'train/2.jpg': 'Bob' },
    ],
    [
      'Roboflow in CreateML',
      {
        ...pictures('train/1.jpg'),
        'train/_annotations.createml.json': [{ image: '1.jpg', annotations: [{ label: 'Ada', coordinates: {} }] }],
      },
      { 'train/1.jpg': 'Ada' },
    ],
    [
      'labelme',
      { 'set/1.jpg': PICTURE, 'set/1.json': { version: '5', shapes: [{ label: 'Ada' }], imagePath: '1.jpg' } },
      { 'set/1.jpg': 'Ada' },
    ],
    [
      'a table of names',
      { ...IMAGES, 'set/labels.csv': 'sep=;\nImage;Person\n1.jpg;Ada\n;\n"images/2.jpg";Bob\n' },
      ADA_AND_BOB,
    ],
  ])('%s is read', async (_, files, said) => {
    expect(await taken(files)).toEqual(said);
    // Compressed again, and in a folder.
    const again = await taken(zipped({ 'export.zip': zipped(within('my export', files)) }));
    const outer = 'my export/';
    const names = Object.entries(again).map(([path, one]) => [path.startsWith(outer) ? path.slice(outer.length) : path, one]); // prettier-ignore
    expect(Object.fromEntries(names)).toEqual(said);
  });

  const FOLDERS = pictures('batch_1/1.jpg', 'batch_2/2.jpg');
  it.each<[string, Files, RegExp]>([
    ['CVAT for video', { ...FOLDERS, 'annotations.xml': '<annotations><meta/><track id="0" label="Ada"/></annotations>' }, /annotations\.xml is .*CVAT for video.*CVAT for images/], // prettier-ignore
    ['a backup of CVAT', { 'task.json': { name: 'x' }, 'annotations.json': [{ version: 0, tags: [], shapes: [], tracks: [] }], ...pictures('data/1.jpg') }, /backup of CVAT.*COCO/], // prettier-ignore
    ['Datumaro', { ...FOLDERS, 'annotations/default.json': { info: {}, categories: { label: {} }, items: [] } }, /default\.json is .*Datumaro.*COCO/], // prettier-ignore
    ['Supervisely', { ...pictures('ds0/img/1.jpg', 'ds1/img/2.jpg'), 'ds0/ann/1.jpg.json': { size: {}, tags: [], objects: [] } }, /Supervisely.*COCO/], // prettier-ignore
    ['VIA', { ...FOLDERS, 'via.json': { _via_settings: {}, _via_img_metadata: {} } }, /via\.json is .*VGG Image Annotator.*COCO/], // prettier-ignore
    ['VIA as a table', { ...FOLDERS, 'via.csv': 'filename,file_size,file_attributes,region_count,region_id\n1.jpg,1,{},0,0\n' }, /via\.csv is .*VGG Image Annotator/], // prettier-ignore
    ['FiftyOne', { ...FOLDERS, 'samples.json': { samples: [] }, 'metadata.json': {} }, /samples\.json is .*FiftyOne/],
    ['TFRecord', { 'train/a.tfrecord': 'x', 'train/a_label_map.pbtxt': 'x' }, /a\.tfrecord is .*TFRecord.*COCO/],
    ['MOT', { ...pictures('img1/1.jpg', 'img2/1.jpg'), 'gt/gt.txt': '1,1' }, /gt\.txt is .*MOT/],
    [
      'KITTI',
      { ...pictures('image_2/1.jpg', 'other/2.jpg'), 'label_2/1.txt': 'Car 0 0 0' },
      /label_2\/1\.txt is .*KITTI/,
    ],
    ['WIDER FACE', { ...FOLDERS, 'wider_face_split/faces.txt': '1' }, /WIDER FACE/],
    ['WIDER FACE by its list', { ...FOLDERS, 'wider_face_train_bbx_gt.txt': '1' }, /WIDER FACE/],
    ['Market-1501', pictures('bounding_box_train/1.jpg', 'query/2.jpg'), /Market-1501/],
    ['Cityscapes', pictures('gtFine/1.png', 'leftImg8bit/1.png'), /Cityscapes/],
    ['masks', { ...pictures('a/1.jpg', 'b/2.jpg', 'SegmentationClass/1.png'), 'labelmap.txt': 'x' }, /SegmentationClass\/1\.png is .*masks/], // prettier-ignore
    ['YOLO without names', { ...pictures('images/1.jpg', 'more/2.jpg'), 'labels/1.txt': '0 0.5 0.5 0.1 0.1' }, /labels\/1\.txt is .*YOLO.*classes\.txt/], // prettier-ignore
    ['JSON lines', { ...pictures('images/1.jpg'), 'a.jsonl': '{}' }, /a\.jsonl is .*JSON Lines/],
    ['something else', { ...pictures('people/1.jpg'), 'people/list.json': { who: ['Ada'] } }, /people\/list\.json is a list that is not read/], // prettier-ignore
    ['something else in XML', { ...pictures('people/1.jpg'), 'a.xml': '<dataset/>' }, /a\.xml is a list that is not read/], // prettier-ignore
    ['XML with a DTD', { ...pictures('x/1.jpg'), 'a.xml': '<!DOCTYPE a [<!ENTITY b "c">]><annotations><image name="&b;"/></annotations>' }, /a\.xml.*DOCTYPE/], // prettier-ignore
    ['COCO without its pictures', { 'result.json': coco(['images/1.jpg']) }, /result\.json.*1\.jpg.*with its pictures/],
    ['a table of numbers', { ...pictures('images/1.jpg'), 'a.csv': 'filename,label\n1.jpg,0\n' }, /a\.csv.*numbers/],
    ['UTF-16', { ...pictures('images/1.jpg'), 'a.json': Buffer.from('\uFEFF{}', 'utf16le') }, /a\.json is UTF-16/],
  ])('%s is refused with its name', async (_, files, message) => {
    expect(await refusal(files)).toMatch(message);
  });

  it.each<[string, Files]>([
    ['XML', { 'a.xml': `<annotations><image name="1.jpg"><box ${'x'.repeat(1 << 19)}/></image></annotations>` }],
    ['XML that does not end', { 'a.xml': `<annotations>${'<!--'.repeat(1 << 18)}` }],
    ['numbers', { '1.txt': `0 ${`${'1'.repeat(1 << 14)} `.repeat(16)}x`, 'classes.txt': 'Ada' }],
    ['names', { '1.txt': '0 1 1 1 1', 'data.yaml': `names: [${'0'.repeat(1 << 18)}${'"'.repeat(1 << 18)}` }],
    ['a name', { 'a.json': [task(`${'.jpg?'.repeat(1 << 17)}\n`, 'Ada')] }],
    ['a separator', { 'a.csv': `sep=${'\t'.repeat(60_000)}x\nfilename,class\n` }],
  ])('an unknown tool with much of %s is read or refused in linear time', async (_, files) => {
    const work = archiveSource(
      () => opened(zipped({ ...files, 'images/1.jpg': PICTURE, '1.jpg': PICTURE }, false)),
      Infinity,
    );
    const outcome = await work.then(
      () => 'read',
      (error: unknown) => (error instanceof AditError ? error.code : String(error)),
    );
    expect(['read', 'MEDIA_INVALID']).toContain(outcome);
  });

  it('Label Studio has a class by its labels or choices, and none by free text', async () => {
    const value = (said: object) => ({ from_name: 'a', to_name: 'image', type: 'x', value: said });
    const list = [{ choices: ['Ada'] }, { rectanglelabels: ['Bob'] }, { text: ['a remark'] }].map((said, at) => ({
      ...{ id: at, data: { image: `${UPLOADED}${at + 1}.jpg` } },
      annotations: [{ id: at, result: [value(said)] }],
    }));
    const files = { ...pictures('images/1.jpg', 'images/2.jpg', 'images/3.jpg'), 'a.json': list };
    expect(await taken(files)).toEqual({ 'images/1.jpg': 'Ada', 'images/2.jpg': 'Bob', 'images/3.jpg': '! no_class' });
  });

  it('COCO creates no class without a picture, and resolves no ambiguous picture', async () => {
    const list = coco(['a/1.jpg', 'b/1.jpg', '3.jpg'], { categories: ['Ada', 'Bob', 'people'] });
    list.annotations.push({ ...elementAt(list.annotations, 0), id: 9, category_id: 2, image_id: 3 });
    const files = { ...pictures('a/1.jpg', 'c/3.jpg', 'c/4.jpg'), 'a.json': list };
    expect(await taken(files)).toEqual({
      ...{ 'a/1.jpg': 'Ada', 'b/1.jpg': '! missing' },
      ...{ 'c/3.jpg': '! several_classes', 'c/4.jpg': '! not_listed' },
    });
    // Several boxes of one class are one class.
    const boxes = coco(['1.jpg']);
    boxes.annotations.push({ ...elementAt(boxes.annotations, 0), id: 9 });
    expect(await taken({ ...pictures('1.jpg'), 'a.json': boxes })).toEqual({ '1.jpg': 'Ada' });
    // It is ambiguous which one is meant.
    const twice = { ...pictures('x/1.jpg', 'y/1.jpg'), 'a.json': coco(['1.jpg']) };
    expect(await taken(twice)).toEqual({
      ...{ 'x/1.jpg': '! ambiguous', 'y/1.jpg': '! ambiguous' },
    });
  });
});
