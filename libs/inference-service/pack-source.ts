import { AditError, inputKindOf, specNames, type InputKind, type InputSpecs, type Unit } from '@adit/contracts';
import type { PackKeys } from '@adit/database';
import type { AnalysisInput } from '@adit/inference';
import { openAudioPack, openFramePack, type ReadRange } from '@adit/media';
import type { ObjectStore } from '@adit/objects';

/** Larger packs are read in parts, on request; smaller ones at once. */
const READ_WHOLE_BYTES = 32 * 1024 ** 2;

/**
 * Opens the packs of one unit in the order of an analysis's specs. Throws PACK_MISSING when one is gone, INTERNAL for a
 * unit of another kind than the analysis takes.
 */
export async function openInput(
  objects: ObjectStore,
  unit: Unit,
  keys: PackKeys | undefined,
  wanted: InputSpecs,
): Promise<AnalysisInput<InputKind>> {
  const open = <Pack>(openOne: (read: ReadRange) => Promise<Pack>): Promise<Pack[]> =>
    openPacks(objects, keys, specNames(wanted), openOne);
  if (wanted.kind === 'audio' && unit.kind === 'audio') {
    return { kind: 'audio', unit, packs: await open(openAudioPack) };
  }
  if (wanted.kind === 'frames' && unit.kind !== 'audio') {
    return { kind: 'frames', unit, packs: await open(openFramePack) };
  }
  throw new AditError('INTERNAL', `An analysis of ${wanted.kind} was asked of ${inputKindOf(unit.kind)}.`);
}

/** Packs with the same key are opened once. */
async function openPacks<Pack>(
  objects: ObjectStore,
  keys: PackKeys | undefined,
  names: string[],
  openOne: (read: ReadRange) => Promise<Pack>,
): Promise<Pack[]> {
  const opened = new Map<string, Promise<Pack>>();
  return Promise.all(
    names.map((name) => {
      const key = keys?.[name];
      if (key === undefined) throw missing(name);
      let pack = opened.get(key);
      if (pack === undefined) {
        pack = readerOf(objects, key).then(openOne);
        opened.set(key, pack);
      }
      return pack;
    }),
  );
}

async function readerOf(objects: ObjectStore, key: string): Promise<ReadRange> {
  const info = await objects.stat(key);
  if (info === null) throw missing(key);
  if (info.size > READ_WHOLE_BYTES) return (start, end) => objects.read(key, { start, end });
  const whole = await objects.read(key);
  return (start, end) => Promise.resolve(whole.subarray(start, end + 1));
}

function missing(what: string): AditError {
  return new AditError('PACK_MISSING', `The pack ${what} is gone; its chunk has to be decoded again.`);
}
