// What the gateway and a provider of identities (OpenID Connect) say to each other, in plain values.

/** What a question and its answer have in common; the gateway makes and keeps it. */
export interface Correlation {
  readonly state: string;
  readonly nonce: string;
  /** The secret whose digest the question tells (PKCE, RFC 7636). */
  readonly verifier: string;
}

/** The answer to a question, as it came back with the browser. */
export interface ProviderAnswer extends Correlation {
  /** The query of the address that the browser came to. */
  readonly query: string;
  /** Somebody who signed in at the provider before this is refused; null: whenever they did. */
  readonly signedInAfter: Date | null;
}

/** Somebody, as a provider knows them: issuer and subject together are theirs alone, and for good. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The address that the provider tells of, or else a name, to tell identities apart; nothing is proved by it. */
  readonly label: string;
}

/** `declined`: by the person or the provider. `unverified`: what was shown is not right. `unavailable`: nothing was. */
export type ProviderFailure = { readonly kind: 'declined' | 'unverified' | 'unavailable' };
export type ProviderQuestion = { readonly kind: 'at'; readonly url: string } | ProviderFailure;
export type ProviderResult = { readonly kind: 'identity'; readonly identity: ProviderIdentity } | ProviderFailure;

/** A provider that people sign in by. What goes wrong there is a result. */
export interface IdentityProvider {
  /** What people know it by. */
  readonly name: string;
  readonly issuer: string;
  /** The address at the provider that the browser goes to. `isAnew`: they have to sign in there again. */
  begin(asked: Correlation & { readonly isAnew: boolean }): Promise<ProviderQuestion>;
  /** Turns the code that the browser came back with into an identity. */
  finish(answer: ProviderAnswer): Promise<ProviderResult>;
}
