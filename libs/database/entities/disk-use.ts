import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Disk use of the installation, as measured last. */
@Entity('disk_uses')
export class DiskUseEntity {
  @PrimaryColumn('text') kind!: string;
  @Column('bigint') bytes!: string;
  @Column('bigint', { nullable: true }) objects!: string | null;
  @Column('timestamptz') timeMeasured!: Date;
  /** Time of the next measurement. */
  @Column('timestamptz') timeDue!: Date;
}
