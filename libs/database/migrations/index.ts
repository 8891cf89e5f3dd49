import { Initial1795219200000 } from './1795219200000-initial.js';
import { Webhooks1795255173495 } from './1795255173495-webhooks.js';
import { Dictionaries1795255664719 } from './1795255664719-dictionaries.js';
import { Access1795267818183 } from './1795267818183-access.js';
import { ResourceWebhooks1795267925251 } from './1795267925251-resource-webhooks.js';
import { Storage1795268034111 } from './1795268034111-storage.js';
import { BatchesAndExports1795270022981 } from './1795270022981-batches-and-exports.js';
import { Models1795281003051 } from './1795281003051-models.js';
import { WebhooksGone1795285200000 } from './1795285200000-webhooks-gone.js';
import { JobSourcesApart1795370983078 } from './1795370983078-job-sources-apart.js';
import { PutOff1795371242479 } from './1795371242479-put-off.js';
import { MediaOfSources1795372641204 } from './1795372641204-media-of-sources.js';
import { Leases1795372641205 } from './1795372641205-leases.js';
import { RunningTries1795372870379 } from './1795372870379-running-tries.js';
import { JobEndings1795373196749 } from './1795373196749-job-endings.js';
import { Workspaces1795373718326 } from './1795373718326-workspaces.js';
import { Probes1795374172153 } from './1795374172153-probes.js';
import { ObjectRemovals1795374381434 } from './1795374381434-object-removals.js';
import { AnalysisProgress1795376879093 } from './1795376879093-analysis-progress.js';
import { FencingTokens1795382000000 } from './1795382000000-fencing-tokens.js';
import { JobErasures1795383000000 } from './1795383000000-job-erasures.js';
import { MediaOfModules1795384000000 } from './1795384000000-media-of-modules.js';
import { RenamingUploads1795386000003 } from './1795386000003-renaming-uploads.js';
import { Audio1795390100000 } from './1795390100000-audio.js';
import { Transcripts1795400200000 } from './1795400200000-transcripts.js';
import { ModelStore1795400300000 } from './1795400300000-model-store.js';
import { Datasets1795400500000 } from './1795400500000-datasets.js';
import { Trainings1795400500001 } from './1795400500001-trainings.js';
import { FaceIndexes1795400600000 } from './1795400600000-face-indexes.js';
import { Erasures1795400600001 } from './1795400600001-erasures.js';
import { DatasetImports1795410400000 } from './1795410400000-dataset-imports.js';
import { DatasetExports1795410400001 } from './1795410400001-dataset-exports.js';
import { Looks1795410500000 } from './1795410500000-looks.js';
import { LastVersion1795410800000 } from './1795410800000-last-version.js';
import { TaughtFaces1795420700000 } from './1795420700000-taught-faces.js';
import { Makers1795430200000 } from './1795430200000-makers.js';
import { Canaries1795430300000 } from './1795430300000-canaries.js';
import { CentroidsInRows1795430600001 } from './1795430600001-centroids-in-rows.js';
import { PeopleShown1795430700000 } from './1795430700000-people-shown.js';
import { TokensOfExports1795430800000 } from './1795430800000-tokens-of-exports.js';
import { FairTurns1795721310398 } from './1795721310398-fair-turns.js';
import { TurnsOfTasks1795744967237 } from './1795744967237-turns-of-tasks.js';
import { ReachOfIdentities1795745220731 } from './1795745220731-reach-of-identities.js';
import { FollowedModels1795800000000 } from './1795800000000-followed-models.js';
import { BytesOfVariants1795846300000 } from './1795846300000-bytes-of-variants.js';
import { ExportsOfAccessKeys1795950100000 } from './1795950100000-exports-of-access-keys.js';
import { ErasedSources1795950200000 } from './1795950200000-erased-sources.js';
import { FilesOfSources1795950200001 } from './1795950200001-files-of-sources.js';
import { DoneRequests1795950300000 } from './1795950300000-done-requests.js';
import { DeletedVariants1795950700000 } from './1795950700000-deleted-variants.js';
import { BytesOfTranscripts1795950700001 } from './1795950700001-bytes-of-transcripts.js';
import { NamesOfSources1795960000000 } from './1795960000000-names-of-sources.js';
import { WorkspaceEvents1795970000000 } from './1795970000000-workspace-events.js';
import { DiskUses1795980000000 } from './1795980000000-disk-uses.js';
import { LiveStreams1796010000000 } from './1796010000000-live-streams.js';
import { FlowsOfMessages1796030100000 } from './1796030100000-flows-of-messages.js';
import { ShardsOfMessages1796030100001 } from './1796030100001-shards-of-messages.js';
import { SlotsOfWorkers1796030200000 } from './1796030200000-slots-of-workers.js';
import { WorkOfJobs1796030300000 } from './1796030300000-work-of-jobs.js';
import { Streams1796030431892 } from './1796030431892-streams.js';
import { HandOversOfStreams1796100000000 } from './1796100000000-hand-overs-of-streams.js';
import { Recordings1796100100000 } from './1796100100000-recordings.js';
import { SoundOfStreams1796100300000 } from './1796100300000-sound-of-streams.js';
import { Search1796100400000 } from './1796100400000-search.js';
import { StorageCredentials1796100600000 } from './1796100600000-storage-credentials.js';
import { Programmes1796100600001 } from './1796100600001-programmes.js';
import { MediaOfFiles1796100600002 } from './1796100600002-media-of-files.js';
import { PartsOfStreams1796101000000 } from './1796101000000-parts-of-streams.js';
import { WaitingAnalyses1796101700000 } from './1796101700000-waiting-analyses.js';
import { SavedSearches1796107000000 } from './1796107000000-saved-searches.js';
import { IndexesOfSearch1796107000001 } from './1796107000001-indexes-of-search.js';
import { OrderOfSearch1796107000002 } from './1796107000002-order-of-search.js';
import { Retention1796200000000 } from './1796200000000-retention.js';
import { Clips1796200000000 } from './1796200000000-clips.js';
import { EndsOfJobs1796200000001 } from './1796200000001-ends-of-jobs.js';
import { Usage1796200100000 } from './1796200100000-usage.js';
import { MastersOfJobs1796200100000 } from './1796200100000-masters-of-jobs.js';
import { WordsOfSearch1796200101000 } from './1796200101000-words-of-search.js';
import { TimesOfSearch1796200101001 } from './1796200101001-times-of-search.js';
import { EndsOfRecordings1796200103000 } from './1796200103000-ends-of-recordings.js';
import { Quotas1796201200000 } from './1796201200000-quotas.js';
import { CountedMedia1796201200001 } from './1796201200001-counted-media.js';
import { NotesOfExports1796201200002 } from './1796201200002-notes-of-exports.js';
import { Members1796201300000 } from './1796201300000-members.js';
import { ExportsOfSearches1796201400000 } from './1796201400000-exports-of-searches.js';
import { ExportsByWhatTheyHold1796201400001 } from './1796201400001-exports-by-what-they-hold.js';
import { FacesOfSearch1796220000000 } from './1796220000000-faces-of-search.js';
import { MakersOfKeys1796230000000 } from './1796230000000-makers-of-keys.js';
import { LooksOfExports1796240000000 } from './1796240000000-looks-of-exports.js';
import { JobsOfExports1796240000001 } from './1796240000001-jobs-of-exports.js';

/** In the order they are run. A released migration is never changed: the next one is added. */
export const MIGRATIONS = [
  Initial1795219200000,
  Webhooks1795255173495,
  Dictionaries1795255664719,
  Access1795267818183,
  ResourceWebhooks1795267925251,
  Storage1795268034111,
  BatchesAndExports1795270022981,
  Models1795281003051,
  WebhooksGone1795285200000,
  JobSourcesApart1795370983078,
  PutOff1795371242479,
  MediaOfSources1795372641204,
  Leases1795372641205,
  RunningTries1795372870379,
  JobEndings1795373196749,
  Workspaces1795373718326,
  Probes1795374172153,
  ObjectRemovals1795374381434,
  AnalysisProgress1795376879093,
  FencingTokens1795382000000,
  JobErasures1795383000000,
  MediaOfModules1795384000000,
  RenamingUploads1795386000003,
  Audio1795390100000,
  Transcripts1795400200000,
  ModelStore1795400300000,
  Datasets1795400500000,
  Trainings1795400500001,
  FaceIndexes1795400600000,
  Erasures1795400600001,
  DatasetImports1795410400000,
  DatasetExports1795410400001,
  Looks1795410500000,
  LastVersion1795410800000,
  TaughtFaces1795420700000,
  Makers1795430200000,
  Canaries1795430300000,
  CentroidsInRows1795430600001,
  PeopleShown1795430700000,
  TokensOfExports1795430800000,
  FairTurns1795721310398,
  TurnsOfTasks1795744967237,
  ReachOfIdentities1795745220731,
  FollowedModels1795800000000,
  BytesOfVariants1795846300000,
  ExportsOfAccessKeys1795950100000,
  ErasedSources1795950200000,
  FilesOfSources1795950200001,
  DoneRequests1795950300000,
  DeletedVariants1795950700000,
  BytesOfTranscripts1795950700001,
  NamesOfSources1795960000000,
  WorkspaceEvents1795970000000,
  DiskUses1795980000000,
  LiveStreams1796010000000,
  FlowsOfMessages1796030100000,
  ShardsOfMessages1796030100001,
  SlotsOfWorkers1796030200000,
  WorkOfJobs1796030300000,
  Streams1796030431892,
  HandOversOfStreams1796100000000,
  Recordings1796100100000,
  SoundOfStreams1796100300000,
  Search1796100400000,
  StorageCredentials1796100600000,
  Programmes1796100600001,
  MediaOfFiles1796100600002,
  PartsOfStreams1796101000000,
  WaitingAnalyses1796101700000,
  SavedSearches1796107000000,
  IndexesOfSearch1796107000001,
  OrderOfSearch1796107000002,
  Retention1796200000000,
  Clips1796200000000,
  EndsOfJobs1796200000001,
  Usage1796200100000,
  MastersOfJobs1796200100000,
  WordsOfSearch1796200101000,
  TimesOfSearch1796200101001,
  EndsOfRecordings1796200103000,
  Quotas1796201200000,
  CountedMedia1796201200001,
  NotesOfExports1796201200002,
  Members1796201300000,
  ExportsOfSearches1796201400000,
  ExportsByWhatTheyHold1796201400001,
  FacesOfSearch1796220000000,
  MakersOfKeys1796230000000,
  LooksOfExports1796240000000,
  JobsOfExports1796240000001,
];
