import { Module } from '@nestjs/common';
import { DiskUseController } from './disk-use.controller.js';

/** What takes room in the installation. */
@Module({ controllers: [DiskUseController] })
export class DiskUseApiModule {}
