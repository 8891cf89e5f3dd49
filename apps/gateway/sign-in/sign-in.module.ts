import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { Admission } from './admission.js';
import { ExpiredSignIns } from './expired-sign-ins.js';
import { SignIn } from './sign-in.js';
import { SignInController } from './sign-in.controller.js';

/** People who sign in to the console by an OpenID Connect provider. */
@Module({
  imports: [AuditModule, AuthModule],
  controllers: [SignInController],
  providers: [Admission, ExpiredSignIns, SignIn],
})
export class SignInModule {}
