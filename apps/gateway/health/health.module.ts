import { Module } from '@nestjs/common';
import { InstallationHealthController } from './health.controller.js';

/** What runs and what lags, for people. */
@Module({ controllers: [InstallationHealthController] })
export class HealthApiModule {}
