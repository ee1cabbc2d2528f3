// Makes the services that resolvers use, from the configuration and the parts of the api role.

import type { createKeyUses } from '../access/uses.ts';
import { isMainChain } from '../chain/open-adapter.ts';
import type { Config } from '../config/config.ts';
import { createAssetChooser } from '../domain/invoices/choose-asset.ts';
import { createInvoiceCreator } from '../domain/invoices/create-invoice.ts';
import type { createApiLog } from '../domain/merchants/api-log.ts';
import { createPaymentDefaults } from '../domain/merchants/payment-defaults.ts';
import { relyingPartyOf } from '../domain/factors/passkeys.ts';
import { createPaymentCreator } from '../domain/payments/create-payment.ts';
import type { Services } from '../resolvers/services.ts';
import { addressList } from '../values/internet/address-list.ts';
import { mailSettingsOf } from './mail/start-mailer.ts';
import type { Network } from '../values/assets.ts';

/** What the services are made of. */
export interface ServiceParts extends Pick<Services, 'deps' | 'updates' | 'simulations' | 'provider'> {
  readonly config: Config;
  readonly apiLog: Pick<ReturnType<typeof createApiLog>, 'flushUntil'>;
  readonly attempts: Services['attempts'];
  readonly keyUses: Pick<ReturnType<typeof createKeyUses>, 'flush'>;
  readonly receiver: Services['receiver'] | undefined;
}

/** Makes the services of this process. */
export function createServices(parts: ServiceParts): Services {
  const { config, deps, updates, simulations, provider, apiLog, attempts, keyUses, receiver } = parts;
  const defaults = createPaymentDefaults(deps);
  return {
    ...{ deps, defaults, attempts, updates, simulations, provider },
    createPayment: createPaymentCreator(deps, defaults),
    createInvoice: createInvoiceCreator(deps),
    chooseAsset: createAssetChooser(deps),
    checkoutOpenLimit: config.checkoutOpenLimit,
    tokenTtlSeconds: config.tokenTtlSeconds,
    registration: config.registration,
    mail: deps.sendsMail === true ? mailSettingsOf(config, deps.secrets) : null,
    hasMailbox: config.hasMailbox,
    site: relyingPartyOf(config.baseUrl),
    payoutHoldMs: config.payoutHoldHours * 3_600_000,
    operators: operatorSettingsOf(config),
    keysMax: config.apiKeysMax,
    mainNetworks: mainNetworksOf(config),
    flushApiLog: (until) => apiLog.flushUntil(until),
    flushKeyUses: keyUses.flush,
    receiver: receiver ?? null,
  };
}

function operatorSettingsOf(config: Config): Services['operators'] {
  const { operatorAddresses, operatorApprovalAbove: approvalAbove, stuckAfterMinutes, coldAddresses } = config;
  const addresses = operatorAddresses.length === 0 ? null : addressList(operatorAddresses);
  return { addresses, approvalAbove, stuckAfterMinutes, coldAddresses };
}

/** Networks on their main chain. None in the sandbox, whose money is worth nothing. */
function mainNetworksOf({ environment, networks }: Config): Set<Network> {
  const main = [...networks].filter(([network, node]) => isMainChain(network, node));
  return new Set(environment === 'live' ? main.map(([network]) => network) : []);
}
