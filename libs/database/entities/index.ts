import { AccessKeyEntity, AuditEntryEntity } from './access.js';
import { BatchEntity, ExportEntity, JobEndingEntity, ReportEntity, ReportItemEntity } from './batch.js';
import { JobErasureEntity, MediaEntity, ObjectRemovalEntity, ObservationEntity } from './cache.js';
import {
  DatasetClassEntity,
  DatasetEntity,
  DatasetErasureEntity,
  DatasetImageEntity,
  DatasetLookEntity,
} from './dataset.js';
import { CanaryEntity, CanaryPictureEntity, CanaryRunEntity } from './canary.js';
import { DatasetImportEntity, DatasetImportErrorEntity } from './dataset-import.js';
import { DictionaryEntity, DictionaryVersionEntity } from './dictionary.js';
import { DiskUseEntity } from './disk-use.js';
import { ErasureEntity } from './erasure.js';
import { FollowedModelEntity } from './followed-model.js';
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
import { LookEntity } from './look.js';
import { ModelEntity, ModelVersionEntity, WorkspaceModelEntity } from './model.js';
import { OutboxEntity } from './outbox.js';
import { ProbeEntity } from './probe.js';
import { ArtifactEntity, IdentityEntity, JobEventEntity, SegmentEntity, SummaryEntity } from './result.js';
import { StorageEntryEntity, StoragePartEntity, StorageRemovalEntity } from './storage.js';
import { TrainingEntity } from './training.js';
import {
  TranscriptEntity,
  TranscriptParagraphEntity,
  TranscriptVariantEntity,
  TranscriptVersionEntity,
} from './transcript.js';
import { WebhookAttemptEntity, WebhookDeliveryEntity, WebhookEntity } from './webhook.js';
import { ApiKeyEntity, IdempotencyKeyEntity, WorkspaceEntity } from './workspace.js';
import { WorkspaceEventEntity, WorkspaceEventHeadEntity } from './workspace-event.js';

export * from './access.js';
export * from './batch.js';
export * from './cache.js';
export * from './canary.js';
export * from './columns.js';
export * from './dataset.js';
export * from './dataset-import.js';
export * from './dictionary.js';
export * from './disk-use.js';
export * from './erasure.js';
export * from './face-index.js';
export * from './followed-model.js';
export * from './from-row.js';
export * from './job.js';
export * from './lease.js';
export * from './live-job.js';
export * from './look.js';
export * from './model.js';
export * from './naming.js';
export * from './outbox.js';
export * from './probe.js';
export * from './result.js';
export * from './storage.js';
export * from './table-columns.js';
export * from './training.js';
export * from './transcript.js';
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
  DatasetClassEntity,
  DatasetEntity,
  DatasetErasureEntity,
  DatasetImageEntity,
  DatasetImportEntity,
  DatasetImportErrorEntity,
  DatasetLookEntity,
  DictionaryEntity,
  DictionaryVersionEntity,
  DiskUseEntity,
  ErasureEntity,
  ExportEntity,
  FollowedModelEntity,
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
  LookEntity,
  MediaEntity,
  ModelEntity,
  ModelVersionEntity,
  ObjectRemovalEntity,
  ObservationEntity,
  OutboxEntity,
  ProbeEntity,
  ReportEntity,
  ReportItemEntity,
  SegmentEntity,
  StorageEntryEntity,
  StoragePartEntity,
  StorageRemovalEntity,
  SummaryEntity,
  TrainingEntity,
  TranscriptEntity,
  TranscriptParagraphEntity,
  TranscriptVariantEntity,
  TranscriptVersionEntity,
  WebhookAttemptEntity,
  WebhookDeliveryEntity,
  WebhookEntity,
  WorkspaceEntity,
  WorkspaceEventEntity,
  WorkspaceEventHeadEntity,
  WorkspaceModelEntity,
];
