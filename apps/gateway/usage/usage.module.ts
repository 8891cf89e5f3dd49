import { Module } from '@nestjs/common';
import { UsageController } from './usage.controller.js';
import { UsageQuotas } from './usage-quotas.js';

/** What analyses took, and how much they may take. */
@Module({ controllers: [UsageController], providers: [UsageQuotas], exports: [UsageQuotas] })
export class UsageApiModule {}
