import type { ErrorCode, ImageFacts, Json, ModelPin } from '@adit/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a picture is looked at with, and what is asked of what was seen. */
export interface LookQuestion {
  /** One at least, all of one family. */
  analyses: { name: string; args: Json; models: ModelPin[] }[];
  /** A module that folds what was seen; null for the observations alone. */
  module: { id: string; args: Record<string, Json>; models: ModelPin[] } | null;
}

/** What one picture shows. */
export interface LookAnswer {
  facts: ImageFacts;
  /** By analysis, as its schema has them; pictures kept with them are named and nowhere. */
  observations: Record<string, Json>;
  /** What a job of the module would say of the picture; empty without one. */
  segments: LookSegment[];
}

/** As much of a segment as a picture alone has. */
export interface LookSegment {
  type: string;
  label: string;
  confidence: number;
  meta: Record<string, Json>;
  detections: { frame_index: number; type: string; data: Record<string, number> }[];
}

/** A question about one picture that somebody waits for the answer of. It lives for seconds: whoever asked removes it. */
@Entity('looks')
export class LookEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') workspaceId!: string;
  /** As a client named it: `storage://…` or `https://…`; null for one that came with the request. */
  @Column('text', { nullable: true }) source!: string | null;
  /** Of an object that lives as long as this; null for an uploaded file. */
  @Column('text', { nullable: true }) objectKey!: string | null;
  @Column('jsonb') question!: LookQuestion;
  /** Whether a process looks at it: one that dies of it is not asked again. */
  @Column('boolean', { default: false }) taken!: boolean;
  @Column('jsonb', { nullable: true }) answer!: LookAnswer | null;
  /** Why there is no answer. */
  @Column('jsonb', { nullable: true }) problem!: { code: ErrorCode; message: string } | null;
  @Column('timestamptz', { default: () => 'now()' }) timeCreated!: Date;
}
