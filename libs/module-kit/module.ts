import type { Readable } from 'node:stream';
import type {
  DatasetType,
  DictionaryLanguage,
  Json,
  MediaFacts,
  MediaKind,
  ModelPin,
  ModelType,
  Unit,
} from '@adit/contracts';
import type { z } from 'zod';
import type { UsedDictionary } from '@adit/dictionaries';
import type { ClosedSource, Segment, Summary } from './segment.js';

/** One analysis a module stands on. Equal needs of several modules are one pass over the media. */
export interface AnalysisNeed {
  analysis: string;
  /** Validated by the analysis's own schema; part of its digest. */
  args: Record<string, Json>;
}

/** An entry of a job's dictionary. */
export interface DictionaryWord {
  /** What it lists. */
  source: string;
  /** As it is to be written: of a map what stands in place of the source. */
  text: string;
  /** Of the results that the dictionary is for. */
  language: DictionaryLanguage;
}

/** What a module's fold is given of one unit: the observations of each analysis it needs, by analysis name. */
export interface FoldInput {
  unit: Unit;
  /** Parsed JSON as the analysis wrote it; the module validates it with the analysis's published schema. */
  observations: Record<string, unknown>;
}

/** What stays the same while a job is folded. */
export interface FoldContext {
  /** The source this fold covers, or null when one fold covers every image of the job. */
  sourceIndex: number | null;
  facts: MediaFacts;
  /** Frames of each second of a film that its analyses look at, of several the fewest; left out where nobody says. */
  rate?: number;
  /**
   * Number of the frame of a film that is on display so many seconds after its start; before it the first, later the last. Of modules
   * that listen, where the film's index is at hand.
   */
  frameAt?: (seconds: number) => number;
}

export interface FoldStep<State> {
  state: State;
  segments: Segment[];
  /** Of what is final already, such as a picture: a state that kept them would grow with the pictures of a job. */
  summaries?: Summary[];
}

/** The fold opened for one job: pure and synchronous, so that the same observations give the same answer anywhere. */
export interface Fold<State extends Json> {
  /** The state before the first unit. */
  start(context: FoldContext): State;
  fold(state: State, input: FoldInput, context: FoldContext): FoldStep<State>;
  /** Emits what is still open after the last unit. */
  close(state: State, context: FoldContext): ClosedSource;
  /**
   * Called with each `fold` or `close` before it is made: does ahead, in turns with the rest of the process, what takes long in
   * it, such as searching a large gallery. It may make the call for that: a fold is pure.
   */
  prepare?(call: () => unknown): Promise<void>;
}

/** What `open` may read: models by pin, dictionaries by id. Everything that can change is pinned before the first fold. */
export interface OpenContext {
  models: ModelPin[];
  /** A file of a pinned model version, e.g. a gallery's embeddings. */
  readModelFile(pin: ModelPin, file: string): Promise<Buffer>;
  /** A dictionary that the arguments name, in the version that was pinned when the job was posted. */
  readDictionary(id: string): Promise<UsedDictionary>;
}

/** A segment as it is stored. */
export interface FoundSegment extends Pick<Segment, 'timeStart' | 'timeEnd'> {
  meta: Record<string, unknown>;
}

/** What a module found in a job that has ended. */
export interface FoundInJob {
  /** Sources that it folded, in order. */
  sources: { index: number; uri: string; /** What it is called. */ name: string }[];
  /** Its segments of one type and source in order of emission; a page of them is in memory at a time. */
  segments(sourceIndex: number, type: string): AsyncIterable<FoundSegment>;
}

/** A file that a module leaves with a job, beside results.json. */
export interface ModuleFile {
  /** Unlike those of the module's other files; without folders. */
  filename: string;
  mimeType: string;
  body: Readable;
}

/** A question a client can ask: a pure fold over observations, in order, that yields segments as they become final. */
export interface ModuleDefinition<Args extends z.ZodType = z.ZodType, State extends Json = Json> {
  /** As posted, e.g. `face_recognition`; also the folder's name. */
  id: string;
  /** The `module` of its results (object_scene_recognition answers as object_recognition). */
  resultName: string;
  /** Other ids accepted in a request. */
  aliases: string[];
  /** Raised when the state's shape changes; states of another version are folded anew from stored observations. */
  version: number;
  /** What a state of another version is in this one; null, as without, to fold anew. */
  adopt?(state: Json, version: number): Json;
  args: Args;
  /** Kinds of source it can be asked of; of others the job's errors say that it cannot. */
  media: MediaKind[];
  /** Another module whose models serve this one too, e.g. the one that galleries are made for. */
  sharesModelsOf?: string;
  /** Arguments that a client left out and that follow from the models it runs, such as a threshold that a training found. */
  fromModels?(models: readonly InstalledModel[]): Record<string, Json>;
  /** What a request may name in `model`, for modules that take it; GET /v1/models/ lists them. */
  takes?: TakenModels;
  /** Names of the models a request asks for; `installed` is what the repository holds for this module. */
  models(args: z.infer<Args>, installed: InstalledModel[]): string[];
  /** `models` are the names that `models` gave, of those that are installed; what is not need not be looked with. */
  needs(args: z.infer<Args>, models: string[], installed: readonly InstalledModel[]): AnalysisNeed[];
  /**
   * One of its needs, once it is known which words the job's small dictionaries hold, in the client's order: for analyses that are
   * told words ahead. Without it dictionaries are asked of observations alone.
   */
  withWords?(need: AnalysisNeed, words: readonly DictionaryWord[]): AnalysisNeed;
  /** Models it has a place for, whose weights do not come with Adit. */
  slots?: ModelSlot[];
  /** Ids of the dictionaries its own arguments name beside `dictionaries`, each with its place in the arguments. */
  dictionaryIds?(args: z.infer<Args>): { id: string; path: PropertyKey[] }[];
  /** The index collection that it puts people into, and the network whose embeddings they are; null for none. */
  collection?(args: z.infer<Args>): { name: string; network: string; path: PropertyKey[] } | null;
  /** The dataset that what its segments teach goes into; null for none. */
  dataset?(args: z.infer<Args>): { id: string; type: DatasetType; path: PropertyKey[] } | null;
  open(args: z.infer<Args>, context: OpenContext): Promise<Fold<State>>;
  /**
   * The files that its part of a job leaves, made when the job ends, unless the module failed. One is asked for when the one
   * before it has been written. A job that ends again, and one whose end is repeated, makes them anew.
   */
  files?(args: z.infer<Args>, found: FoundInJob): AsyncIterable<ModuleFile>;
}

/** A model the repository serves, as far as a module's choice needs it. */
export interface InstalledModel extends ModelPin {
  /** Of the model, whatever the version. */
  id: string;
  kind: 'network' | 'gallery';
  /** Of a network whose outputs are read in one of several ways. */
  family: string | null;
  modules: string[];
  isDefault: boolean;
  /** Of a gallery: the network whose embeddings it holds. */
  embedding?: string | null;
  /** Of a gallery that was trained, or made with a network of somebody's own: distance up to which one of it is meant. */
  maxDistance?: number | null;
  /** Of a network that resizes as its exporter does: pixels of the shorter side that it needs of a film's frames. */
  frameSide?: number | null;
  /** How its outputs are read, and how many labels it has by itself. */
  decoding?: string | null;
  labels?: number;
}

/** The models that a module takes by name. */
export interface TakenModels {
  type: ModelType;
  includes: (model: InstalledModel) => boolean;
  /** The command that makes the next version of one, for a model that no longer fits what it is compared with. */
  rebuild?: (name: string) => string;
}

/** A place for a model. GET /v1/modules/ lists those that are not installed. */
export interface ModelSlot {
  name: string;
  /** A sentence: what it would add. */
  purpose: string;
}

/** What most modules need not say: results under their own id, no other ids, no models. */
type Usual = 'resultName' | 'aliases' | 'models';

/** Types a module and gives its arguments and state their names; found by scanning, never by a list. */
export function defineModule<Args extends z.ZodType, State extends Json>(
  definition: Omit<ModuleDefinition<Args, State>, Usual> & Partial<Pick<ModuleDefinition<Args, State>, Usual>>,
): ModuleDefinition<Args, State> {
  return { resultName: definition.id, aliases: [], models: () => [], ...definition };
}
