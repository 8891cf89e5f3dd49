import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Lease of work that one process at a time does for the whole installation. */
@Entity('leases')
export class LeaseEntity {
  @PrimaryColumn('text') name!: string;
  /** Process that holds it. */
  @Column('uuid') holder!: string;
  @Column('timestamptz') leaseUntil!: Date;
}
