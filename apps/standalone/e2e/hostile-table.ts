/** Bad input and what it is answered with: one row each, three tables that differ in where the badness lies. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { blackPng, cmykJpeg, cutAt, hurtBetween, withOrientation, withStatedSize } from '@adit/testing';
import { films } from './hostile-films.js';
import { FORBIDDEN } from './hostile-origin.js';
import type { Ask, Expected, Place, Row } from './hostile-place.js';

type Bytes = Buffer | string;
type Modules = Record<string, unknown>;

const FACES: Modules = { face_recognition: {} };
const NO_MEDIA = /no media known here/;
const NO_AUDIO = /face_recognition takes images and video, not audio/;

/** A file of this name under the root as the only source of a job. */
function file(name: string, make: (place: Place) => Bytes | Promise<Bytes>, expected: Expected, modules = FACES): Row {
  const ask = async (place: Place) => order([await place.put(name, await make(place))], modules);
  return { name, ask, expected };
}

/** Sources as they are written in a job. */
function from(name: string, sources: (place: Place) => string[] | Promise<string[]>, expected: Expected): Row {
  return { name, ask: async (place) => order(await sources(place), FACES), expected };
}

/** The one source as it is written, and the row's name. */
function uri(source: string, expected: Expected): Row {
  return from(source.length > 80 ? `${source.slice(0, 60)}… (${source.length})` : source, () => [source], expected);
}

/** A path of the badly behaved web server. */
function web(path: string, expected: Expected): Row {
  return from(`https:/${path}`, ({ origin }) => [`${origin.allowed}${path}`], expected);
}

/** Any request. */
function request(name: string, ask: Ask | ((place: Place) => Ask), expected: Expected): Row {
  return { name, ask: (place) => (typeof ask === 'function' ? ask(place) : ask), expected };
}

/** A good job but for these fields. */
function body(name: string, fields: Record<string, unknown>, expected: Expected): Row {
  return request(
    name,
    (place) => ({ body: { sources: [place.at('neighbour.jpg')], modules: FACES, ...fields } }),
    expected,
  );
}

function args(name: string, given: Modules, expected: Expected): Row {
  return body(name, { modules: { face_recognition: given } }, expected);
}

function order(sources: string[], modules: Modules): Ask {
  return { body: { sources, modules } };
}

const bad = (says?: RegExp): Expected => ({ status: 400, code: 'VALIDATION', ...(says && { says }) });
const refused = (says?: RegExp): Expected => ({ status: 400, code: 'SOURCE_REFUSED', ...(says && { says }) });
const missing: Expected = { status: 404, code: 'NOT_FOUND' };
const notPublic = refused(/not a public address/);
const image = (faces: number | 'some' = 0): Expected => ({ completed: { type: 'image', faces } });
const video = (frames?: number, faces?: number | 'some'): Expected => ({
  completed: { type: 'video', ...(frames === undefined ? {} : { frames }), ...(faces === undefined ? {} : { faces }) },
});

export const mediaRows: Row[] = [
  // Not what they seem.
  file('empty.mp4', () => '', { failed: /empty/ }),
  file('text.mp4', () => 'This was a film once.', { failed: /is text, not media/ }),
  file('photo-as.mp4', (place) => place.people(), image(3)),
  file('film-as.jpg', films.plain, video(96, 'some')),
  file('no-extension', films.mov, video(96, 'some')),
  file('hls.mp4', ({ root }) => `#EXTM3U\n#EXTINF:1,\nfile://${root}/secret.jpg\nsecret.jpg\n`, {
    failed: /playlist/,
  }),
  file('hls-behind-zeros.mp4', ({ root }) => `#EXTM3U\n#EXTINF:1,\n${root}/secret.jpg\n${'\0'.repeat(5000)}`, {
    failed: /playlist/,
  }),
  file('concat.mp4', ({ root }) => `ffconcat version 1.0\nfile '${root}/secret.jpg'\n`, { failed: /concatenation/ }),
  file('concat-bare.mov', ({ root }) => `file '${root}/secret.jpg'\n`, { failed: /concatenation/ }),
  file('dash.mp4', ({ root }) => `<?xml version="1.0"?><MPD><BaseURL>${root}/secret.jpg</BaseURL></MPD>`, {
    failed: /manifest/,
  }),
  file(
    'drawing.png',
    ({ root }) => `<svg xmlns="http://www.w3.org/2000/svg"><image href="file://${root}/secret.jpg"/></svg>`,
    { failed: /SVG/ },
  ),
  file('image-list.jpg', ({ root }) => `${root}/secret.jpg\n`, { failed: /is text/ }),
  file('gzip-bomb.mp4', () => gzipSync(Buffer.alloc(16 << 20)), { failed: NO_MEDIA }),
  file('zip.mp4', () => Buffer.from('PK\x03\x04\x14\0\0\0\b\0', 'latin1'), { failed: NO_MEDIA }),
  file('noise.mp4', () => createHash('shake256', { outputLength: 100_000 }).digest(), { failed: NO_MEDIA }),
  file('film.mkv', films.matroska, video(96, 'some')),
  file('film-as.mp4', films.webm, video(96, 'some')),
  file('document.pdf', () => '%PDF-1.7\n%âãÏÓ\n1 0 obj<</Type/Catalog>>endobj', { failed: /PDF|text/ }),
  // Pictures.
  file('truncated.jpg', async (place) => cutAt(await place.people(), 0.5), { failed: /image cannot be decoded/ }),
  file('head-only.jpg', async (place) => (await place.people()).subarray(0, 12), {
    failed: /damaged|cannot be decoded/,
  }),
  file('truncated.png', () => blackPng(640, 480, 100), { failed: /image cannot be decoded/ }),
  file('16000x16000.png', () => blackPng(16_000, 16_000), { failed: /16000×16000 pixels; at most 100 megapixels/ }),
  file('claims-2-billion.png', () => blackPng(2 ** 31 - 1, 2 ** 31 - 1, 0), {
    failed: /megapixels|header cannot be read/,
  }),
  file('1x1.png', () => blackPng(1, 1), image()),
  file('1x5000.png', () => blackPng(1, 5000), image()),
  file('moving.png', films.animatedPng, { failed: /PNG picture is animated/ }),
  file('moving.gif', films.gif, image()),
  file('moving.webp', films.webp, { failed: /WebP picture is animated/ }),
  file('cmyk.jpg', () => cmykJpeg(64), image()),
  file('orientation-of-lies.jpg', async (place) => withOrientation(await place.people(), 0xffff), image(3)),
  file('orientation-3.jpg', async (place) => withOrientation(await place.people(), 3), {
    completed: { type: 'image' },
  }),
  file(
    'zip-behind.jpg',
    async (place) => Buffer.concat([await place.people(), Buffer.from('PK\x05\x06'), Buffer.alloc(18)]),
    image(3),
  ),
  // Films.
  file('no-index.mp4', async () => cutAt(await films.plain(), 0.6), { failed: /moov/ }),
  file('ends-early.mp4', async () => cutAt(await films.indexFirst(), 0.5), video(undefined, 'some')),
  file('hurt-middle.mp4', async () => hurtBetween(await films.indexFirst(), 0.4, 0.6), video(96, 'some')),
  file('all-hurt.mp4', films.allHurt, { failed: /cannot be decoded|Invalid data/ }),
  file('one-key.mp4', films.oneKeyframe, video(3000, 0), { face_recognition: { range: { time_start: 596 } } }),
  file('variable-rate.mp4', films.variableRate, video(36, 'some')),
  file('late.ts', films.lateStart, video(96, 'some')),
  file('negative.mp4', films.negativeStart, video(60, 'some')),
  file('two-streams.mp4', films.twoStreams, {
    completed: { type: 'video', frames: 96, size: [360, 288], faces: 'some' },
  }),
  file('odd.mp4', films.odd, { completed: { type: 'video', frames: 96, size: [361, 289], faces: 'some' } }),
  file('ten-bit.mp4', films.tenBit, video(96, 'some')),
  file('rotated.mp4', films.rotated, { completed: { type: 'video', frames: 96, size: [288, 360] } }),
  file('tiny.mp4', films.tiny, { completed: { type: 'video', frames: 25, size: [16, 16], faces: 0 } }),
  file('one-frame.mp4', films.oneFrame, video(1, 1)),
  file('no-frames.mp4', films.noFrames, { failed: /no video stream/ }),
  file('claims-65535.mov', async () => withStatedSize(await films.raw(), 'raw ', 65_535, 65_535), {
    failed: /pixels|size|cannot be/,
  }),
  file('sound.mp4', films.soundOnly, { failed: NO_AUDIO }),
  file('sound.wav', films.wav, { failed: NO_AUDIO }),
  file('song-with-cover.mp3', films.coverArt, { failed: NO_AUDIO }),
];

export const sourceRows: Row[] = [
  // Files that are none, or not ours.
  from('a folder', (place) => [place.at('folder')], { failed: /not a regular file/ }),
  from('a pipe', (place) => [place.at('pipe')], { failed: /not a regular file/ }),
  from('a link out of the root', (place) => [place.at('way-out.jpg')], { failed: /leads outside/ }),
  from('a folder that leads out of the root', (place) => [place.at('way-out/secret.jpg')], {
    failed: /leads outside/,
  }),
  from('a link in a circle', (place) => [place.at('circle')], { failed: /ELOOP/ }),
  from('a link within the root', (place) => [place.at('way-round.jpg')], image(3)),
  from('no such file', (place) => [place.at('nothing.jpg')], { failed: /cannot be found/ }),
  from('a file:// address', (place) => [`file://${place.at('neighbour.jpg')}`], image(3)),
  from('../ out of the root', (place) => [`${place.root}/../outside/secret.jpg`], refused(/outside the folders/)),
  from('%2e%2e out of the root', (place) => [`file://${place.root}/%2e%2e/outside/secret.jpg`], refused(/outside/)),
  from('%2F in a file address', (place) => [`file://${place.root}%2F..%2Foutside/secret.jpg`], bad()),
  from('a folder whose name begins like the root', (place) => [`${place.root}-other/photo.jpg`], refused(/outside/)),
  uri('/etc/passwd', refused(/outside the folders/)),
  uri('/dev/zero', refused(/outside the folders/)),
  uri('/proc/self/environ', refused(/outside the folders/)),
  uri('photo.jpg', refused(/neither an address nor an absolute path/)),
  uri('../photo.jpg', refused()),
  uri('file://elsewhere.example.org/photo.jpg', bad()),
  // Several.
  from(
    'one of three is no picture',
    async (place) => [
      place.at('neighbour.jpg'),
      await place.put('none.jpg', 'none'),
      await place.put('woman.jpg', await place.woman()),
    ],
    {
      completed: { type: 'image', faces: 4, errors: [/none\.jpg: .*text/] },
    },
  ),
  from(
    'sound among pictures',
    async (place) => [place.at('neighbour.jpg'), await place.put('amid.wav', await films.wav())],
    {
      completed: { type: 'image', faces: 3, errors: [/amid\.wav: face_recognition takes images and video, not audio/] },
    },
  ),
  from('none of two is a picture', async (place) => [await place.put('a.jpg', 'a'), await place.put('b.jpg', '')], {
    failed: /a\.jpg: .*text/,
  }),
  from(
    'a film behind a picture',
    async (place) => [place.at('neighbour.jpg'), await place.put('behind.mp4', await films.plain())],
    { failed: /mixed/, keeps: 'what was done' },
  ),
  from(
    'a picture behind a film',
    async (place) => [await place.put('before.mp4', await films.plain()), place.at('neighbour.jpg')],
    { failed: /mixed/, keeps: 'what was done' },
  ),
  from('no sources', () => [], bad()),
  from('10,001 sources', () => Array<string>(10_001).fill('storage://x'), bad()),
  uri(`https://example.org/${'a'.repeat(5_000)}`, bad()),
  // Storage.
  uri('storage://abcdefghijklmnopqrst', refused(/does not exist/)),
  from('a file that is still being uploaded', (place) => [place.unfinished], refused(/not been uploaded completely/)),
  uri('storage://../../objects', bad()),
  uri('storage:abc', bad()),
  // Addresses that are not for us, in every way to write them.
  ...[
    'https://10.0.0.1/a.jpg',
    'https://192.168.1.1/a.jpg',
    'https://172.16.0.1/a.jpg',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.64.0.1/a.jpg',
    'https://0.0.0.0/a.jpg',
    'https://0/a.jpg',
    'https://127.2/a.jpg',
    'https://2130706434/a.jpg',
    'https://0177.0.0.2/a.jpg',
    'https://0x7f.0.0.2/a.jpg',
    'https://0x7f000002/a.jpg',
    `https://${FORBIDDEN}./a.jpg`,
    'https://%31%32%37.0.0.2/a.jpg',
    'https://①②⑦.⓪.⓪.②/a.jpg',
    'https://[::1]/a.jpg',
    'https://[::]/a.jpg',
    `https://[::ffff:${FORBIDDEN}]/a.jpg`,
    'https://[::ffff:7f00:2]/a.jpg',
    'https://[::127.0.0.2]/a.jpg',
    'https://[64:ff9b::7f00:2]/a.jpg',
    'https://[2002:7f00:2::]/a.jpg',
    'https://[fd00::1]/a.jpg',
    'https://[fe80::1]/a.jpg',
    'https://224.0.0.1/a.jpg',
  ].map((source) => uri(source, notPublic)),
  uri(`https://example.org@${FORBIDDEN}/a.jpg`, refused()),
  uri('https://user:secret@example.org/a.jpg', refused(/user name or password/)),
  uri('http://example.org/a.jpg', refused(/http:\/\/ is not allowed/)),
  uri('ftp://example.org/a.jpg', refused(/ftp: is not supported/)),
  uri('gopher://example.org/a.jpg', refused()),
  uri('data:image/png;base64,AAAA', refused()),
  uri('concat:/etc/passwd|/etc/hosts', refused()),
  uri('https:example.org', bad()),
  uri('https:///a.jpg', bad()),
  uri('https://example.org\\@127.0.0.2/', bad()),
  uri('https://example.org/a b.jpg', bad()),
  uri('https://example.org:99999/a.jpg', bad()),
  uri('srt://10.0.0.1:9000?mode=caller', notPublic),
  uri('srt://:9000?mode=listener&passphrase=0123456789', refused(/ADIT_SRT_LISTEN_PORTS/)),
  uri('srt://example.org:9000?transtype=file', refused(/live mode/)),
  uri('srt://nobody-has-this-name.invalid:9000', { failed: /host name is not known|cannot be/ }),
  uri('rtsp://10.0.0.1/live', notPublic),
  uri('rtmp://[::1]/live', notPublic),
  uri('rtsp://nobody-has-this-name.invalid/live', { failed: /host name is not known|cannot be/ }),
  uri('https://nobody-has-this-name.invalid/a.jpg', { failed: /host name is not known|cannot be fetched/ }),
  uri('https://nobody-has-this-name.invalid/live.m3u8', { failed: /host name is not known|cannot be/ }),
  uri('https://nobody-has-this-name.invalid/live.mpd', { failed: /host name is not known|cannot be/ }),
  uri('https://127.0.0.1:0/a.jpg', { failed: /cannot be fetched/ }),
  // Web servers that are not what they seem.
  web('/photo.jpg', image(3)),
  web('/moved', image(3)),
  web('/to-private', { failed: /not a public address/ }),
  web('/to-metadata', { failed: /not a public address/ }),
  web('/to-file', { failed: /not a web address/ }),
  web('/to-http', { failed: /from https:\/\/ to http:\/\// }),
  web('/to-itself', { failed: /more than 5 times/ }),
  web('/playlist', { failed: /playlist/ }),
  web('/inwards.m3u8', { failed: /not a public address/ }),
  web('/packed', { failed: NO_MEDIA }),
  web('/nothing', { failed: /answers HTTP status 404/ }),
  web('/broken', { failed: /answers HTTP status 500/ }),
  web('/endless', { failed: /larger than \d+ bytes/ }),
  web('/claims-terabytes', { failed: /larger than \d+ bytes/ }),
  web('/cut-short', { failed: /cannot be fetched/ }),
  web('/silent', { failed: /sent nothing for/ }),
  web('/drip', { failed: /took longer than/ }),
  from('a certificate that nobody signed', ({ origin }) => [`${origin.untrusted}/photo.jpg`], {
    failed: /certificate is not accepted/,
  }),
];

export const requestRows: Row[] = [
  body(
    'an unknown module',
    { modules: { mind_reading: {} } },
    bad(/no module mind_reading. Installed: .*face_recognition/),
  ),
  request('a module named __proto__', { body: '{"sources":["storage://x"],"modules":{"__proto__":{}}}' }, bad()),
  body('a module named constructor', { modules: { constructor: {} } }, bad()),
  body('no modules', { modules: {} }, bad(/at least one module/)),
  args('an unknown argument', { speed: 'high' }, bad(/takes no argument speed/)),
  args('an argument of the wrong type', { max_distance: 'near' }, bad(/max_distance/)),
  args('an argument out of bounds', { max_distance: 3 }, bad(/max_distance/)),
  args(
    'a model that is not installed',
    { model: 'everybody' },
    { status: 400, code: 'MODEL_NOT_INSTALLED', says: /everybody.*[Ii]nstalled/ },
  ),
  args('a model that is a path', { model: '../../etc/passwd' }, { status: 400, code: 'MODEL_NOT_INSTALLED' }),
  args('a range in seconds and frames', { range: { time_start: 1, frame_end: 5 } }, bad(/range/)),
  args('a range backwards', { range: { time_start: 9, time_end: 3 } }, bad(/time_start must not lie after/)),
  args('a range before the beginning', { range: { frame_start: -1 } }, bad(/frame_start/)),
  args('a range behind the last picture', { range: { frame_start: 7 } }, { failed: /range does not lie within/ }),
  args('a range of no end', { range: { frame_start: 0, frame_end: Number.MAX_SAFE_INTEGER } }, image(3)),
  {
    name: 'a range behind the end of a film',
    expected: { failed: /range begins at 4000 s; the pictures of the film end at 4\.000 s/ },
    ask: async (place) =>
      order([await place.put('short.mp4', await films.plain())], { face_recognition: { range: { time_start: 4000 } } }),
  },
  body('a negative ttl', { ttl: -5 }, bad(/ttl/)),
  body('a ttl beyond all times', { ttl: Number.MAX_SAFE_INTEGER }, bad(/ttl/)),
  body('priority 10', { priority: 10 }, bad(/priority/)),
  body('half a priority', { priority: 0.5 }, bad(/priority/)),
  body(
    'a webhook to a file',
    { webhook: { events: ['job.on_completed'], callback: 'file:///etc/passwd' } },
    bad(/callback/),
  ),
  body('a webhook for nothing', { webhook: { events: [], callback: 'https://example.org' } }, bad(/events/)),
  body('an unknown field', { modles: {} }, bad(/modles/)),
  body('sources that are numbers', { sources: [1] }, bad(/sources/)),
  body('a source with a NUL', { sources: ['/a\0b'] }, bad()),
  body('a tag with a NUL', { tag: 'a\0b' }, bad(/tag/)),
  body('a tag of 256 characters', { tag: 'x'.repeat(256) }, bad(/tag/)),
  args('a NUL in an argument', { model: 'a\0b' }, bad(/model/)),
  request('half a JSON', { body: '{"sources": [' }, bad()),
  request('no body', { method: 'POST' }, bad()),
  request('a list', { body: [] }, bad()),
  request('a prototype', { body: '{"__proto__":{"admin":true},"sources":["storage://x"],"modules":{}}' }, bad()),
  request('100,000 brackets', { body: '['.repeat(100_000) }, bad()),
  request(
    'XML',
    { body: '<job/>', headers: { 'content-type': 'application/xml' } },
    { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  ),
  request('9 MB', { body: { tag: 'x'.repeat(9e6) } }, { status: 413, code: 'TOO_LARGE' }),
  request('no key', { path: '/jobs/', key: null }, { status: 401, code: 'UNAUTHENTICATED' }),
  request('a wrong key', { path: '/jobs/', key: 'nobody-has-this-key' }, { status: 401, code: 'UNAUTHENTICATED' }),
  request('no key and 9 MB', { body: { tag: 'x'.repeat(9e6) }, key: null }, { status: 401, code: 'UNAUTHENTICATED' }),
  ...['', 'detailed-results/', 'summarized-results/', 'artifacts/', 'events/'].map((part) =>
    request(
      `a neighbour's job/${part}`,
      (place) => ({ path: `/jobs/${place.jobId}/${part}`, key: place.neighbourKey }),
      missing,
    ),
  ),
  request(
    "a neighbour's job to delete",
    (place) => ({ method: 'DELETE', path: `/jobs/${place.jobId}/`, key: place.neighbourKey }),
    missing,
  ),
  request('an unknown job', { path: '/jobs/0f7c4a54-6a0e-4f5b-9d56-6b1a2f0f3d11/' }, missing),
  request('a job id that is none', { path: '/jobs/1%20OR%201=1/' }, missing),
  request('a job id with a NUL', { path: '/jobs/%00/' }, bad(/jobId/)),
  request('a path that cannot be decoded', { path: '/jobs/%ff/' }, { status: 400, code: 'VALIDATION' }),
  request(
    'PATCH of the jobs',
    { method: 'PATCH', path: '/jobs/', body: {} },
    { status: 405, code: 'METHOD_NOT_ALLOWED' },
  ),
  request('an unknown address', { path: '/nothing/' }, missing),
  request('limit=99999', { path: '/jobs/?limit=99999' }, { reply: { limit: 1000 } }),
  request('limit=abc', { path: '/jobs/?limit=abc' }, bad(/limit/)),
  request('limit=0', { path: '/jobs/?limit=0' }, bad(/limit/)),
  request('offset=-1', { path: '/jobs/?offset=-1' }, bad(/offset/)),
  request('offset=9007199254740991', { path: '/jobs/?offset=9007199254740991' }, { reply: { data: [] } }),
  request('an unknown state', { path: '/jobs/?state=asleep' }, bad(/state/)),
  request('a search for a NUL', { path: '/jobs/?search=a%00b' }, bad(/search/)),
  request('a search for %', { path: "/jobs/?search=%25'--" }, { reply: { total: 0, data: [] } }),
  request(
    'results from an offset beyond all',
    ({ jobId }) => ({ path: `/jobs/${jobId}/detailed-results/?offset=9007199254740991` }),
    { reply: { data: [] } },
  ),
  request(
    'results with a label of NUL',
    ({ jobId }) => ({ path: `/jobs/${jobId}/detailed-results/?label=%00` }),
    bad(/label/),
  ),
  request(
    'results from no time',
    ({ jobId }) => ({ path: `/jobs/${jobId}/detailed-results/?time_start=abc` }),
    bad(/time_start/),
  ),
  request(
    'an Idempotency-Key of another request',
    (place) => ({
      body: { sources: [place.at('neighbour.jpg')], modules: FACES, tag: 'another' },
      headers: { 'idempotency-key': 'used' },
    }),
    { status: 422, code: 'IDEMPOTENCY_MISMATCH' },
  ),
];
