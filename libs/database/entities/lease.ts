import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Lease of work that one process at a time does for the whole installation, or sign of life of a worker. */
@Entity('leases')
export class LeaseEntity {
  @PrimaryColumn('text') name!: string;
  /** Process that holds it. */
  @Column('uuid') holder!: string;
  @Column('timestamptz') leaseUntil!: Date;
  /** Units of work that a worker does at once; null for other leases. */
  @Column('integer', { nullable: true }) slots!: number | null;
}
