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
import type { Findable, FindableSegment } from './findable.js';
import type { ClosedSource, OpenSegment, Segment, Summary } from './segment.js';

/** One analysis that a module needs. Equal needs of several modules share one pass over the media. */
export interface AnalysisNeed {
  analysis: string;
  /** Validated by the analysis's own schema; part of its digest. */
  args: Record<string, Json>;
}

/** An entry of a job's dictionary. */
export interface DictionaryWord {
  /** Listed text. */
  source: string;
  /** Text to write: for a mapping dictionary the replacement of the source. */
  text: string;
  /** Language of the results that the dictionary is for. */
  language: DictionaryLanguage;
}

/** Input of a module's fold for one unit: the observations of each analysis it needs, by name. */
export interface FoldInput {
  unit: Unit;
  /** Parsed JSON as the analysis wrote it; the module validates it with the analysis's published schema. */
  observations: Record<string, unknown>;
}

/** Constants of a job's fold. */
export interface FoldContext {
  /** Source that this fold covers, or null when one fold covers every image of the job. */
  sourceIndex: number | null;
  facts: MediaFacts;
  /** Analysed frames per second of a film, the lowest of several; omitted when unknown. */
  rate?: number;
  /**
   * Returns the number of the frame on display that many seconds after a film's start; the first one before it, the
   * last one later. For modules of sound, where the film's index is available.
   */
  frameAt?: (seconds: number) => number;
}

export interface FoldStep<State> {
  state: State;
  segments: Segment[];
  /** Summaries of final parts, such as a picture: a state with them would grow with the pictures of a job. */
  summaries?: Summary[];
}

/** A fold opened for one job: pure and synchronous, so that the same observations give the same result anywhere. */
export interface Fold<State extends Json> {
  /** Returns the state before the first unit. */
  start(context: FoldContext): State;
  fold(state: State, input: FoldInput, context: FoldContext): FoldStep<State>;
  /** Emits what is still open after the last unit. */
  close(state: State, context: FoldContext): ClosedSource;
  /**
   * Returns what would become segments if the source ended now, each with a key that it keeps until it ends. For live
   * streams, whose clients are told when a segment starts. Without it they are told when the segment is final.
   */
  open?(state: State, context: FoldContext): OpenSegment[];
  /**
   * Called with each `fold`, `open` or `close` before it is made: does its expensive work ahead, in time slices shared with the
   * rest of the process, such as searching a large gallery. It may make the call for that, since a fold is pure.
   */
  prepare?(call: () => unknown): Promise<void>;
}

/** Inputs of `open`: models by pin, dictionaries by id. Everything that can change is pinned before the first fold. */
export interface OpenContext {
  models: ModelPin[];
  /** Reads a file of a pinned model version, e.g. a gallery's embeddings. */
  readModelFile(pin: ModelPin, file: string): Promise<Buffer>;
  /** Reads a dictionary that the arguments name, in the version pinned when the job was posted. */
  readDictionary(id: string): Promise<UsedDictionary>;
}

/** A segment as it is stored. */
export interface FoundSegment extends Pick<Segment, 'timeStart' | 'timeEnd'> {
  meta: Record<string, unknown>;
}

/** Results of a module in a finished job. */
export interface FoundInJob {
  /** Sources that it folded, in order; `name` is a display name. */
  sources: { index: number; uri: string; /** Display name. */ name: string }[];
  /** Yields its segments of one type and source in order of emission; a page of them is in memory at a time. */
  segments(sourceIndex: number, type: string): AsyncIterable<FoundSegment>;
}

/** A file that a module adds to a job, beside results.json. */
export interface ModuleFile {
  /** Unique among the module's files; without folders. */
  filename: string;
  mimeType: string;
  body: Readable;
}

/**
 * A module that a client can request: a pure fold over observations, in order, that yields segments as they become
 * final.
 */
export interface ModuleDefinition<Args extends z.ZodType = z.ZodType, State extends Json = Json> {
  /** Id in requests, e.g. `face_recognition`; also the folder's name. */
  id: string;
  /** Name in its results (`module`; object_scene_recognition answers as object_recognition). */
  resultName: string;
  /** Other ids accepted in a request. */
  aliases: string[];
  /** Raised when the state's shape changes; states of another version are folded anew from stored observations. */
  version: number;
  /** Migrates a state of another version; null, or without it, to fold anew. */
  adopt?(state: Json, version: number): Json;
  args: Args;
  /** Kinds of source that it supports; for others the job reports an error. */
  media: MediaKind[];
  /** Another module whose models serve this one too, e.g. the one that galleries are made for. */
  sharesModelsOf?: string;
  /** Returns arguments that a client omitted and that follow from the models, such as a trained threshold. */
  fromModels?(models: readonly InstalledModel[]): Record<string, Json>;
  /** Models that a request may name in `model`; GET /v1/models/ lists them. */
  takes?: TakenModels;
  /** Returns the names of the models that a request needs; `installed` are the repository's models for this module. */
  models(args: z.infer<Args>, installed: InstalledModel[]): string[];
  /** Returns the analyses needed. `models` are the names that `models` returned, as far as they are installed. */
  needs(args: z.infer<Args>, models: string[], installed: readonly InstalledModel[]): AnalysisNeed[];
  /**
   * Adapts one of its needs to the words of the job's small dictionaries, in the client's order, for analyses that take
   * words. Without it dictionaries apply to observations only.
   */
  withWords?(need: AnalysisNeed, words: readonly DictionaryWord[]): AnalysisNeed;
  /** Model slots whose weights do not come with Adit. */
  slots?: ModelSlot[];
  /**
   * Returns the ids of dictionaries that its own arguments name beside `dictionaries`, each with its path in the
   * arguments.
   */
  dictionaryIds?(args: z.infer<Args>): { id: string; path: PropertyKey[] }[];
  /** Returns the index collection that it adds people to, and the network of their embeddings; null for none. */
  collection?(args: z.infer<Args>): { name: string; network: string; path: PropertyKey[] } | null;
  /** Returns the dataset that receives training pictures of its segments; null for none. */
  dataset?(args: z.infer<Args>): { id: string; type: DatasetType; path: PropertyKey[] } | null;
  open(args: z.infer<Args>, context: OpenContext): Promise<Fold<State>>;
  /**
   * Yields its files of a job, made when the job ends, unless the module failed. The next one is requested when the one
   * before has been written. They are made anew when a job ends again, or its end is repeated.
   */
  files?(args: z.infer<Args>, found: FoundInJob): AsyncIterable<ModuleFile>;
  /**
   * Returns what can be searched of a segment; without it the label, as a thing. When its answer changes, SEARCH_VERSION of
   * `@adit/search` is raised, and everything is indexed again.
   */
  findable?(segment: FindableSegment): Findable;
}

/** Properties of a served model that modules use to choose. */
export interface InstalledModel extends ModelPin {
  /** Id of the model, for all versions. */
  id: string;
  kind: 'network' | 'gallery';
  /** Family of a network with several decodings. */
  family: string | null;
  modules: string[];
  isDefault: boolean;
  /** Gallery: the network of its embeddings. */
  embedding?: string | null;
  /** Gallery that was trained, or made with a user's network: distance up to which an entry matches. */
  maxDistance?: number | null;
  /** Network that resizes as its exporter does: shorter side in pixels that it needs of a film's frames. */
  frameSide?: number | null;
  /** Decoding of its outputs, and number of its own labels. */
  decoding?: string | null;
  labels?: number;
}

/** Models that a module takes by name. */
export interface TakenModels {
  type: ModelType;
  includes: (model: InstalledModel) => boolean;
  /** Returns the command that builds the next version of a model that no longer fits its counterpart. */
  rebuild?: (name: string) => string;
}

/** A slot for a model. GET /v1/modules/ lists those that are not installed. */
export interface ModelSlot {
  name: string;
  /** A sentence: what it would add. */
  purpose: string;
}

/** Fields with defaults: results under the own id, no other ids, no models. */
type Usual = 'resultName' | 'aliases' | 'models';

/** Types a module's arguments and state; modules are found by scanning folders. */
export function defineModule<Args extends z.ZodType, State extends Json>(
  definition: Omit<ModuleDefinition<Args, State>, Usual> & Partial<Pick<ModuleDefinition<Args, State>, Usual>>,
): ModuleDefinition<Args, State> {
  return { resultName: definition.id, aliases: [], models: () => [], ...definition };
}
