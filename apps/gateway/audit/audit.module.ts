import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { AuditLog } from './audit-log.js';
import { AuditController } from './audit.controller.js';

/** The audit log: written around every mutation, read by administrators. */
@Module({
  imports: [HttpModule],
  controllers: [AuditController],
  providers: [AuditLog],
  exports: [AuditLog],
})
export class AuditModule {}
