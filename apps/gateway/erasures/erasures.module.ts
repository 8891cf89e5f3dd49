import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { ErasuresController } from './erasures.controller.js';
import { Erasures } from './erasures.js';

/** Erasures of people and files, with receipts. */
@Module({
  imports: [HttpModule],
  controllers: [ErasuresController],
  providers: [Erasures],
  exports: [Erasures],
})
export class ErasuresApiModule {}
