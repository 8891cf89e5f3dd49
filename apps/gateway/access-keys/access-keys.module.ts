import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { HttpModule } from '../http/http.module.js';
import { AccessKeysController } from './access-keys.controller.js';

/** Keys that third parties sign tokens with. */
@Module({
  imports: [AuthModule, HttpModule],
  controllers: [AccessKeysController],
})
export class AccessKeysApiModule {}
