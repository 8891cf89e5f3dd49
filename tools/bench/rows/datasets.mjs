// One dataset that grows by imports and single images over the API: what it takes with few and with many.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, percentile, timed } from '../measure.mjs';
import { photo } from '../media.mjs';
import { Processes } from '../processes.mjs';

/** Whatever is measured may take this much longer in the full dataset than in one of a tenth of it. */
const FLAT = 1.5;
const IMPORTS = 10;
const CLASSES = 100;
const WRITERS = 8;
const PAGE = 50;

/** ADIT_BENCH_IMAGES says how many. No image is looked at: that is what inference costs, whoever asks for it. */
export async function datasets(bench) {
  const count = bench.quick ? 2_000 : Number(process.env.ADIT_BENCH_IMAGES ?? 100_000);
  const processes = await Processes.start({ only: ['gateway', 'aggregator'] });
  try {
    const client = processes.client();
    const form = new FormData();
    form.append('file', new Blob([await readFile(photo)], { type: 'image/jpeg' }), 'photo.jpg');
    const { url: uri } = await upload(processes, form);
    const make = async (name) => (await client.get('/datasets/', post({ name, type: 'face' }))).id;
    const [full, small] = [await make('full'), await make('a tenth')];
    const each = Math.floor(count / IMPORTS);
    const lines = Array.from({ length: each }, (_, at) => `${uri},Person ${at % CLASSES}`);
    const rateOf = async (id) => {
      const { seconds, value } = await timed(() => imported(processes, client, id, lines));
      if (value.number_of_images !== each) throw new Error(`${value.number_of_images} of ${each} were imported.`);
      return each / seconds;
    };
    for (let round = 1; round < IMPORTS; round += 1) {
      bench.log(`datasets: ${round * each} images, ${(await rateOf(full)).toFixed(0)} a second`);
    }
    // One after the other: what else the machine does meanwhile is the same for both.
    const rates = { few: await rateOf(small), many: await rateOf(full) };
    const [few, many] = await measure(bench, client, [small, full], uri);
    for (const [id, images, { posts }] of [
      [small, each, few],
      [full, IMPORTS * each, many],
    ]) {
      const found = (await client.get(`/datasets/${id}/`)).number_of_images;
      if (found !== images + posts.length) throw new Error(`${found} of ${images + posts.length} are counted.`);
    }
    const shown = (name, of, unit) => `${name} ${of(few).toFixed(1)} → ${of(many).toFixed(1)} ${unit}`;
    const slower = [
      rates.few / rates.many,
      ...['posts', 'dataset', 'classes', 'images'].map((of) => median(many[of]) / median(few[of])),
    ];
    const worst = Math.max(...slower);
    return [
      {
        name: `${(IMPORTS * each).toLocaleString('en')} images in one dataset ÷ a tenth of them, the slowest of import, POST and lists`,
        measured: `${worst.toFixed(2)} ×`,
        goal: `≤ ${FLAT} ×`,
        ok: worst <= FLAT,
        note: [
          `imported ${rates.few.toFixed(0)} → ${rates.many.toFixed(0)} a second`,
          shown(`POST of an image, ${WRITERS} at once, p95`, ({ posts }) => percentile(posts, 0.95), 'ms'),
          ...['dataset', 'classes', 'images'].map((of) => shown(`GET of the ${of}`, (all) => median(all[of]), 'ms')),
        ].join('; '),
      },
    ];
  } finally {
    await processes.close();
  }
}

async function upload(processes, form) {
  const reply = await fetch(`${processes.url}/api/v1/storage/?folder=/&if_exists=rename`, {
    ...{ method: 'POST', headers: processes.headers, body: form },
  });
  if (!reply.ok) throw new Error(await reply.text());
  return reply.json();
}

async function imported(processes, client, id, lines) {
  const form = new FormData();
  form.append('file', new Blob([`file_uri,label\n${lines.join('\n')}\n`], { type: 'text/csv' }), 'list.csv');
  const { url } = await upload(processes, form);
  let made = await client.get(`/datasets/${id}/imports/`, post({ file_uri: url }));
  while (made.state !== 'completed') {
    if (made.state === 'failed') throw new Error(made.error_msg);
    await sleep(100);
    made = await client.get(`/datasets/${id}/imports/${made.id}/`, { wait: 0 });
  }
  return made;
}

/** Milliseconds of single images and of lists, of each dataset in turn. */
async function measure(bench, client, ids, uri) {
  const repeated = bench.quick ? 5 : 50;
  const measured = [];
  for (const id of ids) {
    const { data } = await client.get(`/datasets/${id}/classes/?limit=${CLASSES}`);
    measured.push({ id, classes: data, times: { posts: [], dataset: [], classes: [], images: [] } });
  }
  const write = async ({ id, classes, times }, writer) => {
    const body = post({ file_uri: uri });
    const path = `/datasets/${id}/classes/${classes[writer].id}/images/`;
    times.posts.push(await milliseconds(() => client.get(path, body)));
  };
  for (let at = 0; at < repeated; at += 1) {
    for (const one of measured) await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(one, writer)));
  }
  for (let at = -3; at < repeated; at += 1) {
    for (const { id, classes, times } of measured) {
      const { id: classId, number_of_images: ofClass } = classes[CLASSES / 2];
      const last = `?offset=${Math.max(0, ofClass - PAGE)}&limit=${PAGE}`;
      const took = {
        dataset: await milliseconds(() => client.get(`/datasets/${id}/`)),
        classes: await milliseconds(() => client.get(`/datasets/${id}/classes/?limit=${PAGE}`)),
        images: await milliseconds(() => client.get(`/datasets/${id}/classes/${classId}/images/${last}`)),
      };
      // The first are for warming up.
      if (at >= 0) for (const [of, value] of Object.entries(took)) times[of].push(value);
    }
  }
  return measured.map(({ times }) => times);
}

async function milliseconds(work) {
  return 1000 * (await timed(work)).seconds;
}

function post(body) {
  return { method: 'POST', body: JSON.stringify(body), wait: 0 };
}
