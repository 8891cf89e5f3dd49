// Small files that cost whoever opens them carelessly a great deal.
import { deflateSync } from 'node:zlib';
import { join } from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import { blackPng, pngChunk, sampleMedia, transcode, withPngChunks } from '@adit/testing';

/** Seconds between the pictures of a sparse film; each is a key frame that a chunk may begin with. */
const APART = 10;

/** A film of a second with a comment of so many bytes that no text has. */
export async function taggedFilm(folder, bytes) {
  const tags = join(folder, `tags-${bytes}.txt`);
  await writeFile(tags, Buffer.concat([Buffer.from(';FFMETADATA1\ncomment='), Buffer.alloc(bytes, 1)]));
  const copy = ['-map', '0:v', '-map_metadata', '1', '-t', '1', '-c', 'copy'];
  return transcode(`bench-tagged-${bytes}.mp4`, ['-i', sampleMedia().franck, '-i', tags, ...copy]);
}

/** A QuickTime film of so many pictures 10 s apart, in which next to nothing changes: some bytes a picture. */
export function sparseFilm(pictures) {
  return transcode(`bench-sparse-${pictures}.mov`, [
    ...['-f', 'lavfi', '-i', `color=s=16x16:r=1/${APART}:d=${pictures * APART}`],
    ...['-c:v', 'qtrle', '-g', '1000000'],
  ]);
}

/** A QuickTime film of 46 kB that announces so many pictures and holds 200. */
export async function announcingFilm(folder, pictures) {
  const film = await transcode('bench-announcing.mov', [
    ...['-f', 'lavfi', '-i', `color=s=32x32:r=1/${APART}:d=${200 * APART}`],
    ...['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p'],
  ]);
  const bytes = Buffer.from(await readFile(film));
  // ISO/IEC 14496-12, 8.7.3.2 and 8.6.1.2: how many samples there are of the one size, and of the one duration.
  for (const box of ['stsz', 'stts']) {
    const at = bytes.indexOf(box, bytes.lastIndexOf('moov', undefined, 'latin1'), 'latin1');
    bytes.writeUInt32BE(pictures, at + 12);
  }
  const path = join(folder, `announcing-${pictures}.mov`);
  await writeFile(path, bytes);
  return path;
}

/** A PNG with fifty ancillary chunks of 8 MB each, compressed. */
export async function bombedPng(folder) {
  const bomb = Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(8 << 20, 'x'))]);
  const chunks = Array.from({ length: 50 }, () => pngChunk('zTXt', bomb));
  const path = join(folder, 'bombs.png');
  await writeFile(path, withPngChunks(blackPng(64, 64), ...chunks));
  return path;
}

/** The same PNG under other bytes. */
export async function unknownPng(path, folder) {
  const copy = join(folder, `${Math.random()}.png`);
  await writeFile(copy, withPngChunks(await readFile(path), pngChunk('tEXt', Buffer.from(`Key\0${Math.random()}`))));
  return copy;
}
