import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A person in a workspace, as an OpenID Connect provider knows them. Nothing of a person is kept apart from the workspaces that they
 * belong to: whoever is removed from the last one is gone.
 */
@Entity('members')
@Index('members_of_person', ['issuer', 'subject', 'workspaceId'], { unique: true })
@Index('members_of_workspace', ['workspaceId', 'timeCreated'])
export class MemberEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'members_pkey' }) id!: string;
  @Column('uuid') workspaceId!: string;
  /** Address of the provider. */
  @Column('text') issuer!: string;
  /** `sub`: what the provider calls the person, for good. */
  @Column('text') subject!: string;
  @Column('text') name!: string;
  @Column('text', { nullable: true }) email!: string | null;
  @Column('text') role!: 'admin' | 'member' | 'reader';
  /** `claim`: the provider says at each sign-in whether and as what. */
  @Column('text') source!: 'invitation' | 'claim';
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Column('timestamptz') timeLastSeen!: Date;
}

/** A place in a workspace that waits for somebody. Of its link only the SHA-256 of the token is kept. */
@Entity('invitations')
@Index('invitations_of_workspace', ['workspaceId', 'timeCreated'])
export class InvitationEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'invitations_pkey' }) id!: string;
  @Column('uuid') workspaceId!: string;
  @Column('text') email!: string;
  @Column('text') role!: 'admin' | 'member' | 'reader';
  @Index('invitations_by_token', { unique: true }) @Column('text') tokenHash!: string;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  @Column('timestamptz') timeExpires!: Date;
}

/** A browser that a member signed in with; only the SHA-256 of its cookie is kept. */
@Entity('sessions')
@Index('sessions_of_workspace', ['workspaceId', 'timeCreated'])
@Index('sessions_of_member', ['memberId'])
export class SessionEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'sessions_pkey' }) id!: string;
  /** That of the member. */
  @Column('uuid') workspaceId!: string;
  @Column('uuid') memberId!: string;
  @Index('sessions_by_token', { unique: true }) @Column('text') tokenHash!: string;
  @CreateDateColumn({ type: 'timestamptz' }) timeCreated!: Date;
  /** Exact to a minute. */
  @Column('timestamptz') timeLastUsed!: Date;
  @Column('timestamptz') timeExpires!: Date;
}
