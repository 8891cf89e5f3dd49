import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { HttpModule } from '../http/http.module.js';
import { InvitationsController } from './invitations.controller.js';
import { MembersController } from './members.controller.js';
import { SessionsController } from './sessions.controller.js';

/** Who belongs to a workspace, who is invited, and who is signed in. */
@Module({
  imports: [AuditModule, AuthModule, HttpModule],
  controllers: [MembersController, InvitationsController, SessionsController],
})
export class MembersApiModule {}
