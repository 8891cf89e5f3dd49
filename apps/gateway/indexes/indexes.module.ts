import { IndexCollections, IndexedIdentities, NeighbourSearches } from '@adit/indexes';
import { Module } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { ErasuresApiModule } from '../erasures/erasures.module.js';
import { HttpModule } from '../http/http.module.js';
import { CollectionChecks } from './collection-checks.js';
import { CollectionsController } from './collections.controller.js';
import { IdentitiesController } from './identities.controller.js';

/** Index collections and the identities in them. */
@Module({
  imports: [ErasuresApiModule, HttpModule],
  controllers: [CollectionsController, IdentitiesController],
  providers: [
    CollectionChecks,
    IndexCollections,
    IndexedIdentities,
    {
      provide: NeighbourSearches,
      useFactory: ({ indexMemoryBytes }: GatewayConfig) => new NeighbourSearches(indexMemoryBytes),
      inject: [GATEWAY_CONFIG],
    },
  ],
  exports: [CollectionChecks, IndexCollections, NeighbourSearches],
})
export class IndexesApiModule {}
