import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What takes room in the installation, as it was measured last. */
@Entity('disk_uses')
export class DiskUseEntity {
  @PrimaryColumn('text') kind!: string;
  @Column('bigint') bytes!: string;
  @Column('bigint', { nullable: true }) objects!: string | null;
  @Column('timestamptz') timeMeasured!: Date;
  /** When it is measured again. */
  @Column('timestamptz') timeDue!: Date;
}
