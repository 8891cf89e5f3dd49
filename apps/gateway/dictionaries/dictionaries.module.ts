import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { Dictionaries } from './dictionaries.js';
import { DictionariesController } from './dictionaries.controller.js';
import { DictionaryPins } from './dictionary-pins.js';
import { LanguageDetection } from './language-detection.js';
import { PublicDictionaries } from './public-dictionaries.js';

/** Dictionaries, and the versions that a job is given. */
@Module({
  imports: [HttpModule],
  controllers: [DictionariesController],
  providers: [Dictionaries, DictionaryPins, LanguageDetection, PublicDictionaries],
  exports: [Dictionaries, DictionaryPins],
})
export class DictionariesApiModule {}
