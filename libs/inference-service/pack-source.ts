import { AditError, frameSpecName, type FrameSpec } from '@adit/contracts';
import type { PackKeys } from '@adit/database';
import { openFramePack, openFramePackBuffer, type FramePack } from '@adit/media';
import type { ObjectStore } from '@adit/objects';

/** Packs up to this many bytes are read in one go; of larger ones only the pictures that are asked for. */
const READ_WHOLE_BYTES = 32 * 1024 ** 2;

/** Opens the packs of one unit in the order of an analysis's frame specs. Throws PACK_MISSING when one is gone. */
export async function openPacks(
  objects: ObjectStore,
  keys: PackKeys | undefined,
  specs: FrameSpec[],
): Promise<FramePack[]> {
  const opened = new Map<string, Promise<FramePack>>();
  return Promise.all(
    specs.map((spec) => {
      const key = keys?.[frameSpecName(spec)];
      if (key === undefined) throw missing(frameSpecName(spec));
      let pack = opened.get(key);
      if (pack === undefined) {
        pack = openPack(objects, key);
        opened.set(key, pack);
      }
      return pack;
    }),
  );
}

async function openPack(objects: ObjectStore, key: string): Promise<FramePack> {
  const info = await objects.stat(key);
  if (info === null) throw missing(key);
  if (info.size <= READ_WHOLE_BYTES) return openFramePackBuffer(await objects.read(key));
  return openFramePack((start, end) => objects.read(key, { start, end }));
}

function missing(what: string): AditError {
  return new AditError('PACK_MISSING', `The frame pack ${what} is gone; its chunk has to be decoded again.`);
}
