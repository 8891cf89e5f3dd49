import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What one process at a time does for the whole installation, until when it is believed alive. */
@Entity('leases')
export class LeaseEntity {
  @PrimaryColumn('text') name!: string;
  /** The process that holds it. */
  @Column('uuid') holder!: string;
  @Column('timestamptz') leaseUntil!: Date;
}
