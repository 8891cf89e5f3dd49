import { Module } from '@nestjs/common';
import { DiskUseController } from './disk-use.controller.js';

/** Disk use of the installation. */
@Module({ controllers: [DiskUseController] })
export class DiskUseApiModule {}
