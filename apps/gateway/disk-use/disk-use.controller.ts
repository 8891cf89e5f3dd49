import { DISK_KINDS, isoTime } from '@adit/contracts';
import { DiskUseEntity } from '@adit/database';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Route } from '../http/route.js';
import { getDiskUse } from './disk-use-routes.js';

@Controller()
export class DiskUseController {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  @Route(getDiskUse)
  async all() {
    const rows = new Map((await this.db.manager.find(DiskUseEntity)).map((row) => [row.kind, row]));
    // Kinds that only a newer build measures are not shown.
    const kinds = DISK_KINDS.flatMap((kind) => {
      const row = rows.get(kind);
      if (row === undefined) return [];
      const { bytes, objects, timeMeasured } = row;
      return [
        {
          kind,
          bytes: Number(bytes),
          objects: objects === null ? null : Number(objects),
          time_measured: isoTime(timeMeasured),
        },
      ];
    });
    return { kinds };
  }
}
