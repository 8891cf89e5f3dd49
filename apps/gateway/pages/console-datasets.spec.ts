/** @needs build, weights, time */
import { readFile } from 'node:fs/promises';
import type { Dataset, DatasetImage, Job, Training } from '@adit/contracts';
import { columns, TrainingEntity } from '@adit/database';
import { accessibilityFaults, chromium, sampleMedia, signedIn, type BrowserPage } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';
import { archived, shown as seen } from './testing/archive.js';
import { dataset, plantImages } from './testing/planted-images.js';

const program = chromium();
const title = program === null ? ' (skipped: no Chromium on this machine)' : '';
/** As many as a class may have. */
const MANY = 10_000;

(program === null ? describe.skip : describe)(`the pages of datasets in Chromium${title}`, () => {
  let world: World;
  let page: BrowserPage;
  let photo: string;
  beforeAll(async () => {
    world = await World.start();
    photo = (await readFile(String(sampleMedia().faces['audrey']))).toString('base64');
  }, 600_000);
  afterEach(() => page?.close());
  afterAll(() => world?.close());

  const open = async (at: string, options: Parameters<typeof signedIn>[2] & { key?: string } = {}) => {
    const { key = world.gateway.key, ...rest } = options;
    page = await signedIn(program as string, { base: world.base, key, at }, rest);
  };
  const go = (at: string) => page.evaluate(`void (location.hash = '${at}')`);
  const shown = (selector: string) => page.until(`document.querySelector('${selector}') !== null`);
  const count = (selector: string, number: number) =>
    page.until(`document.querySelectorAll('${selector}').length === ${number}`);
  const press = (label: string) =>
    page.until(
      `((button) => button !== undefined && (button.click(), true))([...document.querySelectorAll('button')].find((each) => each.textContent === '${label}'))`,
    );
  const says = (words: string) => page.until(`document.querySelector('.notices').textContent.includes('${words}')`);
  const heading = (name: string) => page.until(`document.querySelector('h1')?.textContent === '${name}'`);
  const fill = (name: string, value: string) =>
    page.until(`((field) => {
      if (field === null) return false;
      field.value = ${JSON.stringify(value)};
      for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
      return true;
    })(document.querySelector('dialog [name=${name}]'))`);
  /** Drops files as a person drags them in. */
  const drop = (files: Record<string, string>) =>
    page.evaluate(`(() => {
      const transfer = new DataTransfer();
      for (const [name, text] of Object.entries(${JSON.stringify(files)})) {
        const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
        transfer.items.add(new File([bytes], name, { type: name.endsWith('.jpg') ? 'image/jpeg' : 'text/plain' }));
      }
      document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    })()`);
  const imagesOf = async (id: string, classId: string) =>
    (await world.ask('GET', `/api/v1/datasets/${id}/classes/${classId}/images/`)).json<DatasetImage[]>();
  /** A training that has ended, of a dataset with two classes; its model is one that jobs can use. */
  async function ended(id: string, classId: string): Promise<string> {
    const { db, workspaceId } = world.gateway;
    const modelId = await world.model();
    const read = (await world.ask('GET', `/api/v1/datasets/${id}/`)).json<Dataset>();
    const [left] = await imagesOf(id, classId);
    const trainingId = crypto.randomUUID();
    const model = (await world.ask('GET', `/api/v1/models/${modelId}/`)).json<{ name: string }>();
    await db.manager.insert(
      TrainingEntity,
      columns<TrainingEntity>({
        ...{ id: trainingId, workspaceId, datasetId: id, type: 'face', dataset: read, modelName: model.name },
        ...{ config: { min_face_size: 80, sharpness_threshold: 40 }, state: 'completed', progress: 1 },
        ...{ modelId, modelVersion: 1, timeStarted: new Date(), timeCompleted: new Date() },
        report: {
          ...{
            number_of_classes: 2,
            number_of_images: 5,
            threshold: 1.02,
            held_out: 4,
            named_right: 3,
            named_wrong: 1,
          },
          ...{ number_left_out: 1, left_out: [{ class_id: classId, image_id: left?.id ?? '', reason: 'outlier' }] },
        },
      }),
    );
    return trainingId;
  }

  it('a dataset is made, gets a class, and photos that are dropped; what is no picture says so', async () => {
    await open('#/datasets');
    await press('New dataset …');
    await fill('name', 'Newsroom');
    await press('Create');
    await heading('Newsroom');
    await press('New class …');
    await fill('label', 'Ada Lovelace');
    await press('Create');
    await heading('Ada Lovelace');
    await shown('.drop');
    await drop({ 'one.jpg': photo, 'two.jpg': photo, 'words.txt': 'd29yZHM=' });
    await says('2 images were added');
    await count('.tile', 2);
    await page.until(
      "document.querySelector('.class-images .fault')?.textContent.startsWith('1 did not work:words.txt: ')",
    );
    const [, , id = '', classId = ''] = (await page.evaluate<string>('location.hash')).split('/');
    expect((await imagesOf(id, classId)).length).toBe(2);
  });

  it('a class of 10,000 scrolls without having them all in the page, and opens any by keys', async () => {
    const { id, classes } = await dataset(world, 'Everybody', ['Crowd']);
    const classId = String(classes['Crowd']);
    await plantImages(
      world,
      { datasetId: id, classId },
      Array.from({ length: MANY }, () => 'match' as const),
    );
    await open(`#/datasets/${id}/${classId}`);
    await page.until("document.querySelector('.tile img')?.naturalWidth > 0");
    await page.evaluate('document.querySelector(\'.tile[tabindex="0"]\').focus()');
    // What is scrolled to is read, page by page, until all is there.
    const last = "document.activeElement.getAttribute('aria-posinset')";
    for (const end = Date.now() + 200_000; Date.now() < end;) {
      await page.press('End');
      await page.evaluate('new Promise((done) => setTimeout(done, 100))');
      if ((await page.evaluate(last)) === String(MANY)) break;
    }
    expect(await page.evaluate("document.activeElement.getAttribute('aria-posinset')")).toBe(String(MANY));
    expect(await page.evaluate("document.querySelectorAll('.tile').length")).toBeLessThan(250);
    const typical = await page.evaluate<number>(`(async () => {
      const grid = document.querySelector('.grid');
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const steps = [];
      for (let step = 0; step < 60; step += 1) {
        const begun = performance.now();
        grid.scrollTop = (grid.scrollHeight * step) / 60;
        grid.dispatchEvent(new Event('scroll'));
        steps.push(performance.now() - begun);
        await frame();
      }
      return steps.sort((a, b) => a - b)[steps.length / 2];
    })()`);
    // Milliseconds of script in one step, the median: a page of all tiles would need seconds for each, a busy machine for some.
    expect(typical).toBeLessThan(250);
    await page.evaluate('document.querySelector(\'.tile[tabindex="0"]\').focus()');
    await page.press('Enter');
    await page.until("document.querySelector('dialog h2')?.textContent === 'Image 10000'");
    await page.press('ArrowLeft');
    await page.until("document.querySelector('dialog h2')?.textContent === 'Image 9999'");
  }, 300_000);

  it('images that are selected by keys move to another class and back, are left out, and deleted after asking', async () => {
    const { id, classes } = await dataset(world, 'Team', ['Ada', 'Grace']);
    const [ada, grace] = [String(classes['Ada']), String(classes['Grace'])];
    await plantImages(world, { datasetId: id, classId: ada }, ['match', 'match', 'outlier', 'match']);
    await open(`#/datasets/${id}/${ada}`);
    await count('.tile', 4);
    await page.evaluate("document.querySelector('.tile').focus()");
    await page.press(' ');
    await page.press('ArrowRight', { shift: true });
    await page.until("document.querySelector('.selection [role=status]')?.textContent === '2 selected'");
    await press('Move …');
    await page.click('.choices button');
    await says('2 moved to Grace');
    await count('.tile', 2);
    expect((await imagesOf(id, grace)).length).toBe(2);
    await press('Undo');
    await says('as it was before');
    await count('.tile', 4);
    expect((await imagesOf(id, grace)).length).toBe(0);
    await page.click('.tile', 3);
    await press('Leave out of trainings');
    await says('1 image was changed');
    await count('.tile.inactive', 1);
    expect((await imagesOf(id, ada)).map(({ active }) => active)).toEqual([true, true, true, false]);
    await page.click('.tile', 0);
    await page.evaluate("document.querySelector('.tile').focus()");
    await page.press('Delete');
    await shown('dialog[open]');
    await press('Cancel');
    await count('dialog', 0);
    expect((await imagesOf(id, ada)).length).toBe(4);
    await press('Delete …');
    await shown('dialog[open]');
    await page.click('dialog .danger');
    await says('1 image was deleted');
    await count('.tile', 3);
    expect((await imagesOf(id, ada)).length).toBe(3);
  });

  it('what the evaluation found is to be looked at', async () => {
    const { id, classes } = await dataset(world, 'Checked', ['Ada']);
    const ada = String(classes['Ada']);
    await plantImages(world, { datasetId: id, classId: ada }, ['match', 'outlier', 'match', 'duplicate']);
    await open(`#/datasets/${id}`);
    await page.until("document.querySelectorAll('.looked img').length === 2");
    expect(await page.evaluate("document.querySelector('.quality').textContent")).toContain('100% evaluated');
    await page.click('.looked a', 0);
    await heading('Ada');
    await count('.tile', 1);
    expect(['outlier', 'duplicate']).toContain(await page.evaluate("document.querySelector('.drop select').value"));
    await page.until("document.querySelector('.tile .finding') !== null");
    await page.evaluate(`(() => {
      const which = document.querySelector('.drop select');
      which.value = 'all';
      which.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
    await count('.tile', 4);
    expect(await page.evaluate('location.hash')).toBe(`#/datasets/${id}/${ada}`);
  });

  it('a training starts, says how far it is, and stops', async () => {
    const { id, classes } = await dataset(world, 'Evening news', ['Ada']);
    await plantImages(world, { datasetId: id, classId: String(classes['Ada']) }, ['match', 'match']);
    await open(`#/datasets/${id}`);
    await press('Train …');
    await fill('changelog', 'The first one');
    await fill('size', '60');
    await press('Start');
    await heading('evening-news');
    const trainingId = String((await page.evaluate<string>('location.hash')).split('/').at(-1));
    const read = async () => (await world.ask('GET', `/api/v1/trainings/${trainingId}/`)).json<Training>();
    expect(await read()).toMatchObject({
      ...{ source_dataset_id: id, output_model_changelog: 'The first one' },
      config: { min_face_size: 60, sharpness_threshold: 40 },
    });
    const running = { state: 'processing', progress: 0.4, timeStarted: new Date() } as const;
    await world.gateway.db.manager.update(TrainingEntity, { id: trainingId }, running);
    await page.until("document.querySelector('.heading progress')?.value === 0.4");
    await press('Stop');
    await shown('dialog[open]');
    await page.click('dialog .danger');
    await says('The training was stopped');
    await heading('Trainings');
    expect((await world.ask('GET', `/api/v1/trainings/${trainingId}/`)).status).toBe(404);
  });

  it('a training that has ended has its figures, and its model is used in a job', async () => {
    const { id, classes } = await dataset(world, 'Morning news', ['Ada', 'Grace']);
    const ada = String(classes['Ada']);
    await plantImages(world, { datasetId: id, classId: ada }, ['outlier', 'match']);
    await open(`#/trainings/${await ended(id, ada)}`);
    await page.until("document.querySelector('.looked small')?.textContent.startsWith('Ada: ')");
    expect(await page.evaluate("document.querySelector('.facts.wide').textContent")).toContain('3 of 4 (75%)');
    await press('Use it in a job …');
    await page.until("document.querySelector('dialog input[type=text]') !== null");
    await page.evaluate("document.querySelector('dialog input[type=text]').focus()");
    await page.write(String(world.order.sources[0]));
    await press('Start the job');
    await page.until("location.hash.startsWith('#/jobs/')");
    const jobId = String((await page.evaluate<string>('location.hash')).split('/').at(-1));
    const job = (await world.ask('GET', `/api/v1/jobs/${jobId}/`)).json<Job>();
    const model = (await world.ask('GET', `/api/v1/models/${await world.model()}/`)).json<{ name: string }>();
    expect(JSON.stringify(job)).toContain(model.name);
  });

  it('people of galleries are found by name, get photos, and are forgotten with a receipt', async () => {
    const { id, classes } = await dataset(world, 'Our people', ['Anna Weber', 'Bob Miller']);
    const anna = String(classes['Anna Weber']);
    await plantImages(world, { datasetId: id, classId: anna }, ['match']);
    await archived(world, { name: 'gallery.mp4', found: [seen('Anna Weber', 4)] });
    await open('#/people');
    await page.click('.sections a', 1);
    await heading('Galleries');
    await go(`#/galleries/${id}`);
    await count('.person', 2);
    await page.evaluate("document.querySelector('.filters input').focus()");
    await page.write('anna');
    await count('.person', 1);
    expect(await page.evaluate('location.hash')).toBe(`#/galleries/${id}?search=anna`);
    await page.click('.person a');
    await heading('Anna Weber');
    await count('.tile', 1);
    await count('.where .moment', 1);
    await drop({ 'three.jpg': photo });
    await says('1 image was added');
    await count('.tile', 2);
    await press('Forget …');
    await shown('dialog[open]');
    await page.click('dialog .danger');
    await shown('.receipt');
    expect((await world.ask('GET', `/api/v1/datasets/${id}/classes/${anna}/`)).status).toBe(404);
  });

  it('a reader sees all of it, and is told why it changes nothing', async () => {
    const { id, classes } = await dataset(world, 'Read only', ['Ada']);
    const ada = String(classes['Ada']);
    await plantImages(world, { datasetId: id, classId: ada }, ['match', 'outlier']);
    const made = await world.ask('POST', '/api/v1/api-keys/', { name: 'reader', role: 'reader' });
    await open(`#/datasets/${id}`, { key: made.json<{ key: string }>().key });
    await press('Train …');
    await says('reader, which changes nothing');
    await go(`#/datasets/${id}/${ada}`);
    await count('.tile', 2);
    await page.click('.tile', 0);
    await press('Move …');
    await says('reader, which changes nothing');
    await page.press('Delete');
    await drop({ 'one.jpg': photo });
    expect(await page.evaluate("document.querySelector('dialog')")).toBeNull();
    expect((await imagesOf(id, ada)).length).toBe(2);
  });

  it.each([
    ['light', { dark: false }],
    ['dark', { dark: true }],
    ['dark, as wide as a phone, in German', { dark: true, width: 390, language: 'de' }],
  ])('has no faults for axe: %s', async (_, options) => {
    const { id, classes } = await dataset(world, 'Looked at', ['Ada', 'Grace']);
    const ada = String(classes['Ada']);
    await plantImages(world, { datasetId: id, classId: ada }, ['match', 'outlier', 'match']);
    const training = await ended(id, ada);
    const faults: string[] = [];
    const look = async (place: string, is: string) => {
      await page.until(is);
      faults.push(...(await accessibilityFaults(page)).map((fault) => `${place}: ${fault}`));
      if (!(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')))
        faults.push(`${place}: too wide`);
    };
    const has = (selector: string) => `document.querySelector('${selector}') !== null`;
    await open('#/datasets', options);
    await look('datasets', has('tbody tr'));
    await go(`#/datasets/${id}`);
    await look('dataset', has('.looked img'));
    await page.click('.heading .primary');
    await look('train', has('dialog[open]'));
    await page.press('Escape');
    await go(`#/datasets/${id}/${ada}`);
    await page.click('.tile', 0);
    await look('class', has('.selection'));
    await page.click('.selection button', 1);
    await look('move', has('dialog .choices button'));
    await page.press('Escape');
    await page.evaluate('document.querySelector(\'.tile[tabindex="0"]\').focus()');
    await page.press('Enter');
    await look('image', has('.looked-at img'));
    await page.press('Escape');
    await go('#/trainings');
    await look('trainings', has('.trainings tbody tr'));
    await go(`#/trainings/${training}`);
    await look('training', has('.facts.wide'));
    await page.click('.heading .primary');
    await look('use', has('dialog[open]'));
    await page.press('Escape');
    await go(`#/galleries/${id}`);
    await look('galleries', has('.galleries .person'));
    await go(`#/galleries/${id}/${ada}`);
    await look('person of a gallery', has('.person-head .face img'));
    expect(faults).toEqual([]);
  });
});
