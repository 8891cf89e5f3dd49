import { Module } from '@nestjs/common';
import { UsageController } from './usage.controller.js';

/** What analyses took. */
@Module({ controllers: [UsageController] })
export class UsageApiModule {}
