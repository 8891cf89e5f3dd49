/**
 * Why somebody is not signed in, as the page of the console explains it. `failed`: what came back from the provider is not what was
 * asked for; `invitation`: it is over or was used; `address`: it is for another address of e-mail; `unverified`: the provider does not
 * say that the address is theirs; `claim`: it says nothing of the claim that gives roles; `stranger`:
 * nobody has let them in.
 */
export type Fault = 'unavailable' | 'failed' | 'invitation' | 'address' | 'unverified' | 'claim' | 'stranger';

export class SignInFault extends Error {
  constructor(
    readonly fault: Fault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
