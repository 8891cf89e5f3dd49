import type { ErrorCode, ImageFacts, Json, ModelPin } from '@adit/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Analyses of an online inference request, and the module that reads them. */
export interface InferenceRequest {
  /** Analyses, at least one, all of one inference pool. */
  analyses: { name: string; args: Json; models: ModelPin[] }[];
  /** Module that folds the observations; null for the observations alone. */
  module: { id: string; args: Record<string, Json>; models: ModelPin[] } | null;
}

/** Result of one picture. */
export interface InferenceResponse {
  facts: ImageFacts;
  /** Observations by analysis, in its schema; pictures kept with them are named but not stored. */
  observations: Record<string, Json>;
  /** Segments that a job of the module would find in the picture; empty without a module. */
  segments: InferredSegment[];
}

/** Fields of a segment that a single picture has. */
export interface InferredSegment {
  type: string;
  label: string;
  confidence: number;
  meta: Record<string, Json>;
  detections: { frame_index: number; type: string; data: Record<string, number> }[];
}

/**
 * Online inference request about one picture, which a client waits for. It lives for seconds: the requester removes
 * it.
 */
@Entity('looks')
export class InferenceRequestEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') workspaceId!: string;
  /** Address from the client: `storage://…` or `https://…`; null for a picture in the request. */
  @Column('text', { nullable: true }) source!: string | null;
  /** Object that lives as long as this; null for an uploaded file. */
  @Column('text', { nullable: true }) objectKey!: string | null;
  @Column('jsonb') question!: InferenceRequest;
  /** True when a process has taken it: one that crashes the process is not retried. */
  @Column('boolean', { default: false }) taken!: boolean;
  @Column('jsonb', { nullable: true }) answer!: InferenceResponse | null;
  /** Reason why there is no answer. */
  @Column('jsonb', { nullable: true }) problem!: { code: ErrorCode; message: string } | null;
  @Column('timestamptz', { default: () => 'now()' }) timeCreated!: Date;
}
