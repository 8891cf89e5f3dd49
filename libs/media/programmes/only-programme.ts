import { rm } from 'node:fs/promises';
import { AditError, elementAt } from '@adit/contracts';
import { copyToPrivateFile, type CopyLimits, type FetchedSource } from '../fetch/private-file.js';
import { sniffMedia } from '../sniff.js';
import { packetsIn, pidOf } from './packets.js';
import { associationOf, associationsIn, mapIn, packetsOf, SectionReader } from './sections.js';

const PAT = 0;
/** Streams with a number that the standard gives to a table, or to packets without content. */
const isOwn = (pid: number): boolean => pid >= 0x10 && pid < 0x1fff;
/** Programmes that an error lists. */
const LISTED = 50;

/**
 * Makes a file of one programme of an MPEG transport stream: its pictures, its sound and nothing else, with times and
 * content as they are. The digest is that of the new file, which takes the place of the whole one. A file that has no
 * other programme stays as it is. Throws MEDIA_INVALID for another container, and where the programme is not there.
 */
export async function onlyProgramme(
  whole: FetchedSource,
  programme: number,
  limits: CopyLimits,
): Promise<FetchedSource> {
  try {
    const { format } = await sniffMedia(whole.path);
    if (format !== 'mpeg-ts') {
      throw new AditError(
        'MEDIA_INVALID',
        'program is for MPEG transport streams (TS), and the file is none: leave it out.',
      );
    }
    const { programmes, pids } = await survey(whole.path, programme, limits.signal);
    if (!programmes.has(programme)) throw new AditError('MEDIA_INVALID', absent(programme, programmes));
    if (pids.size === 0)
      throw new AditError('MEDIA_INVALID', `The programme ${programme} has no pictures and no sound.`);
    if (programmes.size === 1) return whole;
    const part = await copyToPrivateFile(packetsOfProgramme(whole.path, programme, pids, limits.signal), limits);
    await rm(whole.path, { force: true });
    return { ...part, partOf: whole.digest };
  } catch (error) {
    await rm(whole.path, { force: true });
    throw error;
  }
}

interface Survey {
  programmes: Set<number>;
  /** Streams of the wanted programme, at any time. */
  pids: Set<number>;
}

/** Tables may change, and a stream's packets may come before the table that names it: so the whole file is looked at. */
async function survey(path: string, wanted: number, signal?: AbortSignal): Promise<Survey> {
  const [tables, programmes, pids] = [new Tables(wanted), new Set<number>(), new Set<number>()];
  for await (const packets of packetsIn(path, signal)) {
    for (const packet of packets) {
      for (const table of tables.take(packet)) {
        if (table.kind === 'association') for (const programme of table.programmes) programmes.add(programme);
        else for (const pid of table.pids) if (isOwn(pid)) pids.add(pid);
      }
    }
  }
  return { programmes, pids };
}

async function* packetsOfProgramme(
  path: string,
  programme: number,
  pids: ReadonlySet<number>,
  signal?: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const tables = new Tables(programme);
  const counters = new Map<number, number>();
  const written = (section: Buffer, pid: number): Buffer[] => {
    const before = counters.get(pid) ?? 0;
    const own = packetsOf(section, pid, before);
    counters.set(pid, (before + own.length) & 0xf);
    return own;
  };
  for await (const packets of packetsIn(path, signal)) {
    const kept: Buffer[] = [];
    for (const packet of packets) {
      for (const table of tables.take(packet)) {
        if (table.kind === 'map') kept.push(...written(table.section, table.pid));
        else if (table.pid !== null) kept.push(...written(associationOf(table.section, programme, table.pid), PAT));
      }
      const pid = pidOf(packet);
      // A map that shares its stream with those of others is written anew.
      if (pids.has(pid) && !tables.isTable(pid)) kept.push(packet);
    }
    // Also nothing, which says that the file is still read.
    yield Buffer.concat(kept);
  }
}

type Table =
  /** `pid`: the stream of the wanted programme's map; null without it. */
  | { kind: 'association'; section: Buffer; programmes: number[]; pid: number | null }
  /** Of the wanted programme. */
  | { kind: 'map'; section: Buffer; pids: number[]; pid: number };

/** Follows the tables of a stream: which programmes there are, and what belongs to the wanted one. */
class Tables {
  private readonly associations = new SectionReader();
  private maps: { pid: number; reader: SectionReader } | null = null;

  constructor(private readonly wanted: number) {}

  /** Tests whether the stream holds the map of the wanted programme at the moment. */
  isTable(pid: number): boolean {
    return pid === this.maps?.pid;
  }

  take(packet: Buffer): Table[] {
    const pid = pidOf(packet);
    if (pid === PAT) return this.associations.take(packet).flatMap((section) => this.association(section));
    if (this.maps === null || pid !== this.maps.pid) return [];
    return this.maps.reader.take(packet).flatMap((section): Table[] => {
      const map = mapIn(section);
      return map?.programme === this.wanted ? [{ kind: 'map', section, pids: map.pids, pid }] : [];
    });
  }

  private association(section: Buffer): Table[] {
    const found = associationsIn(section);
    if (found === null) return [];
    const pid = found.get(this.wanted) ?? null;
    const isUsable = pid !== null && isOwn(pid);
    if (isUsable && pid !== this.maps?.pid) this.maps = { pid, reader: new SectionReader() };
    return [{ kind: 'association', section, programmes: [...found.keys()], pid: isUsable ? pid : null }];
  }
}

function absent(programme: number, programmes: ReadonlySet<number>): string {
  const found = [...programmes].toSorted((a, b) => a - b);
  if (found.length === 0) return 'The file names no programmes: leave program out.';
  if (found.length === 1) return `The file has no programme ${programme}; its only one is ${elementAt(found, 0)}.`;
  const listed = found.slice(0, LISTED).join(', ');
  return `The file has no programme ${programme}; it has ${listed}${found.length > LISTED ? ' and others' : ''}.`;
}
