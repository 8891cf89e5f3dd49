/** Sign-in by a provider, looked at without a gateway. */
import { signInConfig, SignInSettings } from '../auth/sign-in-settings.js';
import { GatewayConfig } from '../config.js';
import { IdentityProvider } from './identity-provider.js';

/** What sign-in depends on. */
export const SignInCheckSettings = GatewayConfig.pick({ publicUrl: true, console: true }).extend(SignInSettings.shape);

/** The issuer, once it has answered as one; null where none is set. Throws an AditError that says what is wrong. */
export async function checkSignIn(
  settings: Parameters<typeof signInConfig>[0],
): Promise<{ issuer: string; callback: string } | null> {
  const config = signInConfig(settings);
  if (config === null) return null;
  const provider = new IdentityProvider(config);
  try {
    await provider.check();
  } finally {
    await provider.close();
  }
  return { issuer: config.oidcIssuer, callback: new URL('console/oidc/callback', config.base).href };
}
