import { AditError } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { signInConfig, type SignInConfig } from '../auth/sign-in-settings.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { IdentityProvider } from './identity-provider.js';

const log = createLogger('sign-in');

interface Ready {
  config: SignInConfig;
  provider: IdentityProvider;
}

/** Sign-in by the provider that is configured, if one is. What is wrong with it stops nothing else: keys work all the same. */
@Injectable()
export class SignIn implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly state: Ready | AditError | null;

  constructor(@Inject(GATEWAY_CONFIG) config: GatewayConfig) {
    this.state = stateOf(config);
  }

  /** Null where there is none, or its settings do not go together. */
  get ready(): Ready | null {
    return this.state instanceof AditError ? null : this.state;
  }

  /** Throws NOT_FOUND where there is none. */
  required(): Ready {
    const { ready } = this;
    if (ready === null) throw new AditError('NOT_FOUND', 'Nobody signs in here but by an API key.');
    return ready;
  }

  onApplicationBootstrap(): void {
    if (this.state instanceof AditError) warn(this.state);
    else void this.state?.provider.check().catch(warn);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.ready?.provider.close();
  }
}

function stateOf(settings: GatewayConfig): Ready | AditError | null {
  try {
    const config = signInConfig(settings);
    return config === null ? null : { config, provider: new IdentityProvider(config) };
  } catch (error) {
    return AditError.from(error);
  }
}

function warn(error: unknown): void {
  const reason = AditError.from(error).message;
  log.warn({ reason }, 'people cannot sign in by the provider; API keys work all the same');
}
