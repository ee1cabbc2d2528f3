// The documents of the GraphQL clients, typed by the client preset.

import { graphql } from '../dist/generated/preset/gql.js';

export const EXCHANGE = graphql(`
  mutation Exchange($keyId: ID!, $secret: String!) {
    createAccessToken(keyId: $keyId, secret: $secret) {
      accessToken
    }
  }
`);

export const CREATE = graphql(`
  mutation Create($input: CreatePaymentInput!) {
    createPayment(input: $input) {
      id
      status
    }
  }
`);

export const DEPOSIT = graphql(`
  mutation Deposit($input: SimulateDepositInput!) {
    simulateDeposit(input: $input) {
      id
      status
    }
  }
`);

export const READ = graphql(`
  query Read($id: ID!) {
    payment(id: $id) {
      id
      status
      metadata
    }
  }
`);

export const REPORT = graphql(`
  query Report($input: ReportInput!) {
    report(input: $input) {
      rows {
        period
        gross
      }
    }
  }
`);

export const EVENTS = graphql(`
  subscription Events($after: Int) {
    eventAdded(after: $after) {
      sequence
      type
    }
  }
`);

export const ORDER = { amount: '25', currency: 'USDT', network: 'ETH' };
