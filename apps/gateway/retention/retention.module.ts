import { Module } from '@nestjs/common';
import { RetentionDefaults } from './retention-defaults.js';
import { RetentionController } from './retention.controller.js';

/** How long a workspace keeps what, and what is under a legal hold. */
@Module({ controllers: [RetentionController], providers: [RetentionDefaults] })
export class RetentionApiModule {}
