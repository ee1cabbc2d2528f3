// A merchant with money and a policy of payouts, and somebody else who approves, for tests of the console.

import { graphql, type GraphQL } from '../../../support/clients.ts';
import type { TestGateway } from '../../../support/gateway/gateway.ts';
import { join } from '../../../support/people.ts';
import type { ConsoleLook } from '../browser.fixture.ts';

/** An owner, in a browser or without one. */
type Owner = Pick<ConsoleLook, 'password' | 'operate' | 'confirm'>;

/** At most 10 at once and 15 a day, and an approval above 5. */
export const LIMITS = { currency: 'USDT', network: 'ETH', perPayout: '10', perDay: '15', approvalAbove: '5' };

/** Adds an administrator who may approve, signed in and confirmed outside the browser. */
export async function addApprover(
  gateway: TestGateway,
  look: Owner,
): Promise<{ readonly email: string; readonly ask: GraphQL }> {
  const { merchant } = await look.operate<{ merchant: { id: string } }>('{ merchant { id } }');
  const { id, email } = await join(gateway, { merchantId: merchant.id, role: 'ADMIN' });
  await gateway.sql('update membership set approves_from = created_at where person_id = $1', [id]);
  const login =
    'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { accessToken } }';
  const { password } = look;
  const { body } = await graphql(gateway)(login, { email, password });
  const ask = graphql(gateway, body.data.login.accessToken as string);
  await ask('mutation ($password: String!) { confirmPassword(password: $password) }', { password });
  return { email, ask };
}

/** Pays an order of 100 USDT; returns its id. */
export async function fillWallet({ operate }: Pick<Owner, 'operate'>): Promise<string> {
  const { createPayment } = await operate<{ createPayment: { id: string } }>(
    'mutation ($input: CreatePaymentInput!) { createPayment(input: $input) { id } }',
    { input: { amount: '100', currency: 'USDT', network: 'ETH' } },
  );
  const { id } = createPayment;
  await operate('mutation ($id: ID!) { simulateDeposit(input: { paymentId: $id }) { id } }', { id });
  return id;
}

/** Changes the policy from the version that it has. */
export async function setPolicy({ confirm, operate }: Owner, change: object): Promise<void> {
  await confirm();
  const { payoutPolicy } = await operate<{ payoutPolicy: { version: number } }>('{ payoutPolicy { version } }');
  const input = { version: payoutPolicy.version, ...change };
  await operate('mutation ($input: PayoutPolicyInput!) { updatePayoutPolicy(input: $input) { version } }', { input });
}
