import { AccessKeyEntity, AuditEntryEntity } from './access.js';
import { BatchEntity, ExportEntity, JobEndingEntity, ReportEntity, ReportItemEntity } from './batch.js';
import { JobErasureEntity, MediaEntity, ObjectRemovalEntity, ObservationEntity } from './cache.js';
import {
  DatasetClassEntity,
  DatasetEntity,
  DatasetErasureEntity,
  DatasetImageEntity,
  ImageAnalysisEntity,
} from './dataset.js';
import { CanaryEntity, CanaryPictureEntity, CanaryRunEntity } from './canary.js';
import { ClipEntity } from './clip.js';
import { DatasetImportEntity, DatasetImportErrorEntity } from './dataset-import.js';
import { DictionaryEntity, DictionaryVersionEntity } from './dictionary.js';
import { DiskUseEntity } from './disk-use.js';
import { ErasureEntity } from './erasure.js';
import { SyncedModelEntity } from './synced-model.js';
import { IndexCollectionEntity, IndexedIdentityEntity } from './face-index.js';
import {
  ChunkAnalysisEntity,
  ChunkEntity,
  FoldEntity,
  JobAnalysisEntity,
  JobEntity,
  JobModuleEntity,
  JobSourceEntity,
} from './job.js';
import { LeaseEntity } from './lease.js';
import { InferenceRequestEntity } from './inference-request.js';
import { InvitationEntity, MemberEntity, SessionEntity } from './member.js';
import { ModelEntity, ModelVersionEntity, WorkspaceModelEntity } from './model.js';
import { OutboxEntity } from './outbox.js';
import { ProbeEntity } from './probe.js';
import { ArtifactEntity, IdentityEntity, JobEventEntity, SegmentEntity, SummaryEntity } from './result.js';
import { RetentionChangeEntity, RetentionDefaultEntity } from './retention.js';
import {
  SavedSearchEntity,
  SearchDocumentEntity,
  SearchFaceEntity,
  SearchFeedEntity,
  SearchWordEntity,
} from './search.js';
import { StorageCredentialEntity } from './storage-credential.js';
import { StorageEntryEntity, StoragePartEntity, StorageRemovalEntity } from './storage.js';
import { RecordingHeaderEntity, RecordingSegmentEntity, StreamEntity, StreamGapEntity } from './stream.js';
import { TrainingEntity } from './training.js';
import {
  TranscriptEntity,
  TranscriptParagraphEntity,
  TranscriptVariantEntity,
  TranscriptVersionEntity,
} from './transcript.js';
import { UsageDayEntity } from './usage.js';
import { WebhookAttemptEntity, WebhookDeliveryEntity, WebhookEntity } from './webhook.js';
import { ApiKeyEntity, IdempotencyKeyEntity, WorkspaceEntity } from './workspace.js';
import { WorkspaceEventEntity, WorkspaceEventHeadEntity } from './workspace-event.js';

export * from './access.js';
export * from './batch.js';
export * from './cache.js';
export * from './canary.js';
export * from './clip.js';
export * from './columns.js';
export * from './dataset.js';
export * from './dataset-import.js';
export * from './dictionary.js';
export * from './disk-use.js';
export * from './erasure.js';
export * from './face-index.js';
export * from './synced-model.js';
export * from './from-row.js';
export * from './job.js';
export * from './lease.js';
export * from './live-job.js';
export * from './inference-request.js';
export * from './member.js';
export * from './model.js';
export * from './naming.js';
export * from './outbox.js';
export * from './probe.js';
export * from './result.js';
export * from './retention.js';
export * from './search.js';
export * from './storage.js';
export * from './storage-credential.js';
export * from './stream.js';
export * from './table-columns.js';
export * from './training.js';
export * from './transcript.js';
export * from './usage.js';
export * from './webhook.js';
export * from './workspace.js';
export * from './workspace-event.js';

export const ENTITIES = [
  AccessKeyEntity,
  ApiKeyEntity,
  ArtifactEntity,
  BatchEntity,
  AuditEntryEntity,
  CanaryEntity,
  CanaryPictureEntity,
  CanaryRunEntity,
  ChunkAnalysisEntity,
  ChunkEntity,
  ClipEntity,
  DatasetClassEntity,
  DatasetEntity,
  DatasetErasureEntity,
  DatasetImageEntity,
  DatasetImportEntity,
  DatasetImportErrorEntity,
  ImageAnalysisEntity,
  DictionaryEntity,
  DictionaryVersionEntity,
  DiskUseEntity,
  ErasureEntity,
  ExportEntity,
  SyncedModelEntity,
  FoldEntity,
  IdempotencyKeyEntity,
  IdentityEntity,
  IndexCollectionEntity,
  IndexedIdentityEntity,
  JobAnalysisEntity,
  JobEndingEntity,
  JobErasureEntity,
  JobEntity,
  JobEventEntity,
  JobModuleEntity,
  JobSourceEntity,
  LeaseEntity,
  InferenceRequestEntity,
  InvitationEntity,
  MediaEntity,
  MemberEntity,
  ModelEntity,
  ModelVersionEntity,
  ObjectRemovalEntity,
  ObservationEntity,
  OutboxEntity,
  ProbeEntity,
  ReportEntity,
  ReportItemEntity,
  RetentionChangeEntity,
  RetentionDefaultEntity,
  SearchDocumentEntity,
  SearchFeedEntity,
  SearchFaceEntity,
  SearchWordEntity,
  SavedSearchEntity,
  SegmentEntity,
  SessionEntity,
  StorageCredentialEntity,
  StorageEntryEntity,
  StoragePartEntity,
  StorageRemovalEntity,
  StreamEntity,
  StreamGapEntity,
  RecordingSegmentEntity,
  RecordingHeaderEntity,
  SummaryEntity,
  TrainingEntity,
  TranscriptEntity,
  TranscriptParagraphEntity,
  TranscriptVariantEntity,
  TranscriptVersionEntity,
  UsageDayEntity,
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
  WebhookEntity,
  WorkspaceEntity,
  WorkspaceEventEntity,
  WorkspaceEventHeadEntity,
  WorkspaceModelEntity,
];
