// The migrations in order. A migration that was released is never changed; a later one is added.

import { AccountMigration } from './20261121-account.ts';
import { AddressPoolMigration } from './20261122-address-pool.ts';
import { ClusterIdentityMigration } from './20261123-cluster-identity.ts';
import { ChainFactsMigration } from './20261121-chain-facts.ts';
import { DispatchMigration } from './20261121-dispatch.ts';
import { FirstMigration } from './20261121-first.ts';
import { LiveMigration } from './20261121-live.ts';
import { HoldingsMigration } from './20261123-holdings.ts';
import { PayoutCostsMigration } from './20261123-payout-costs.ts';
import { PayoutControlMigration } from './20261123-payout-control.ts';
import { FeePayoutsMigration } from './20261123-fee-payouts.ts';
import { PayoutEndsMigration } from './20261123-payout-ends.ts';
import { PayoutsMigration } from './20261121-payouts.ts';
import { SendingMigration } from './20261121-sending.ts';
import { ClaimsMigration } from './20261122-claims.ts';
import { DeliveryLogMigration } from './20261122-delivery-log.ts';
import { DeploymentMigration } from './20261122-deployment.ts';
import { ConsoleMigration } from './20261122-console.ts';
import { ExpiringTransfersMigration } from './20261122-expiring-transfers.ts';
import { ListsMigration } from './20261122-lists.ts';
import { OfPaymentMigration } from './20261122-of-payment.ts';
import { RelatedNetworksMigration } from './20261122-related-networks.ts';
import { OutputsMigration } from './20261122-outputs.ts';
import { DoorMigration } from './20261123-door.ts';
import { SigningWitnessMigration } from './20261123-signing-witness.ts';

export const MIGRATIONS = [
  { name: '20261121-first', class: FirstMigration },
  { name: '20261121-payouts', class: PayoutsMigration },
  { name: '20261121-dispatch', class: DispatchMigration },
  { name: '20261121-account', class: AccountMigration },
  { name: '20261121-live', class: LiveMigration },
  { name: '20261121-chain-facts', class: ChainFactsMigration },
  { name: '20261121-sending', class: SendingMigration },
  { name: '20261122-expiring-transfers', class: ExpiringTransfersMigration },
  { name: '20261122-related-networks', class: RelatedNetworksMigration },
  { name: '20261122-lists', class: ListsMigration },
  { name: '20261122-deployment', class: DeploymentMigration },
  { name: '20261122-claims', class: ClaimsMigration },
  { name: '20261122-delivery-log', class: DeliveryLogMigration },
  { name: '20261122-outputs', class: OutputsMigration },
  { name: '20261122-console', class: ConsoleMigration },
  { name: '20261122-address-pool', class: AddressPoolMigration },
  { name: '20261122-of-payment', class: OfPaymentMigration },
  { name: '20261123-payout-control', class: PayoutControlMigration },
  { name: '20261123-cluster-identity', class: ClusterIdentityMigration },
  { name: '20261123-fee-payouts', class: FeePayoutsMigration },
  { name: '20261123-door', class: DoorMigration },
  { name: '20261123-holdings', class: HoldingsMigration },
  { name: '20261123-payout-ends', class: PayoutEndsMigration },
  { name: '20261123-signing-witness', class: SigningWitnessMigration },
  { name: '20261123-payout-costs', class: PayoutCostsMigration },
];
