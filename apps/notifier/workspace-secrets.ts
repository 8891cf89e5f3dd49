import { WorkspaceEntity } from '@adit/database';
import { validSecrets, type SecretSource } from '@adit/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';

/** Signing secrets of workspaces, which sign the webhooks of their jobs. */
@Injectable()
export class WorkspaceSecrets implements SecretSource {
  static readonly kind = 'workspace';
  readonly kind = WorkspaceSecrets.kind;

  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  async secretsOf(signers: string[], now: Date): Promise<Map<string, string[]>> {
    const workspaces = await this.db.manager.find(WorkspaceEntity, {
      where: { id: In(signers) },
      select: { id: true, signingSecret: true, formerSigningSecret: true, formerSigningSecretUntil: true },
    });
    return new Map(
      workspaces.map(({ id, signingSecret, formerSigningSecret, formerSigningSecretUntil }) => [
        id,
        validSecrets(signingSecret, { secret: formerSigningSecret, until: formerSigningSecretUntil }, now),
      ]),
    );
  }
}
