import { Module } from '@nestjs/common';
import { JobsApiModule } from '../jobs/jobs.module.js';
import { Looks } from './looks.js';
import { Pictures } from './pictures.js';

/** Single pictures that are answered at once. */
@Module({ imports: [JobsApiModule], providers: [Looks, Pictures], exports: [Looks, Pictures] })
export class LooksModule {}
