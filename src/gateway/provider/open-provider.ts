// Opens the provider of identities that people may sign in by, and serves the pages that lead there and back.

import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config/config.ts';
import type { Deps } from '../../domain/deps.ts';
import { createIdentityProvider } from '../../egress/identity-provider.ts';
import { createProviderPages } from '../../resolvers/people/provider-pages.ts';
import type { Services } from '../../resolvers/services.ts';
import type { createIdentify } from '../../server/admission/authenticate.ts';
import { registerProviderPages } from '../../server/pages/provider-pages.ts';
import type { IdentityProvider } from '../../values/identity-provider.ts';
import type { Stops } from '../lifecycle.ts';

/** The provider that the configuration names; null without one. It is asked for nothing yet. */
export function openProvider(
  { oidc, baseUrl }: Pick<Config, 'oidc' | 'baseUrl'>,
  { clock, log }: Pick<Deps, 'clock' | 'log'>,
  stops: Stops,
): IdentityProvider | null {
  if (oidc === null) return null;
  const provider = createIdentityProvider({ ...oidc, redirectUri: `${baseUrl}/auth/oidc/callback`, clock, log });
  stops.push(() => provider.close());
  return provider;
}

interface PagesParts {
  readonly identify: ReturnType<typeof createIdentify>;
  readonly services: Services;
}

/** Serves /auth/oidc/start and /auth/oidc/callback. */
export function servePages(
  provider: IdentityProvider,
  server: FastifyInstance,
  { identify, services }: PagesParts,
): void {
  registerProviderPages(server, { identify, pages: createProviderPages(services, provider) });
}
