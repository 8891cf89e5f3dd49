import { Module, type DynamicModule } from '@nestjs/common';
import { RECORDER_CONFIG, WORK_DIRECTORY, type RecorderConfig } from './config.js';
import { Recorder } from './recorder.js';
import { WorkFolder } from './work-folder.js';

/** Reads live streams. Requires the database, bus, objects and jobs modules. */
@Module({})
export class RecorderModule {
  static forRoot(config: RecorderConfig, workDirectory: string): DynamicModule {
    return {
      module: RecorderModule,
      providers: [
        { provide: RECORDER_CONFIG, useValue: config },
        { provide: WORK_DIRECTORY, useValue: workDirectory },
        Recorder,
        WorkFolder,
      ],
    };
  }
}
