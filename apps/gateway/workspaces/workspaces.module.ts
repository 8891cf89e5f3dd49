import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { HttpModule } from '../http/http.module.js';
import { StorageApiModule } from '../storage/storage.module.js';
import { WorkspaceErasure } from './workspace-erasure.js';
import { WorkspacesController } from './workspaces.controller.js';

/** Workspaces, made and erased. */
@Module({
  imports: [AuthModule, HttpModule, StorageApiModule],
  controllers: [WorkspacesController],
  providers: [WorkspaceErasure],
})
export class WorkspacesApiModule {}
