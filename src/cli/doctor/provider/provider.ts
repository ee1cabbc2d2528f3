// Checks the provider of identities: whether it answers, and is who OIDC_ISSUER says.

import type { Config } from '../../../config/config.ts';
import { createIdentityProvider } from '../../../egress/identity-provider.ts';

/** Asked with this it only makes an address, where nobody goes. */
const NOWHERE = { state: 'doctor', nonce: 'doctor', verifier: 'doctor'.repeat(8), isAnew: false };

/** What the check needs of an examination. */
interface Examined {
  readonly config: Pick<Config, 'oidc' | 'baseUrl'>;
  now(): Date;
}

/** A finding of the doctor. */
interface Found {
  readonly state: 'ok' | 'fault';
  readonly found: string;
  readonly remedy: string | null;
}

const ok = (found: string): Found => ({ state: 'ok', found, remedy: null });

export async function checkProvider({ config, now }: Examined): Promise<Found[]> {
  const { oidc, baseUrl } = config;
  if (oidc === null) return [ok('not used: nobody signs in by a provider')];
  let reason = 'for a reason unknown';
  const log = { warn: (fields: object) => void (reason = String((fields as { readonly reason?: unknown }).reason)) };
  const redirectUri = `${baseUrl}/auth/oidc/callback`;
  const provider = createIdentityProvider({ ...oidc, redirectUri, clock: { now }, log });
  try {
    const { kind } = await provider.begin(NOWHERE);
    if (kind === 'at') return [ok(`answers as ${oidc.issuer}`)];
    const remedy =
      kind === 'unavailable'
        ? 'look at OIDC_ISSUER, at the provider, and at what this machine may reach; until then nobody signs in by it'
        : 'set OIDC_ISSUER to what the provider calls itself, to the letter';
    return [{ state: 'fault', found: `cannot be used: ${reason}`, remedy }];
  } finally {
    await provider.close();
  }
}
