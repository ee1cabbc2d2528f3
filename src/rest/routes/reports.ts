// The rows of reports and receipts.

import type { Route } from './route.ts';

const FIAT_SUMS = ['fiatCurrency', 'fiatGross'];

const REPORT_SUMS = 'currency network payments gross fees net refunded withdrawn';

const reportOf = (selection: string) => `query report($startDate: String, $endDate: String, $currency: String,
  $network: String, $groupBy: ReportUnit, $fiat: Boolean) {
    result: report(input: { startDate: $startDate, endDate: $endDate, currency: $currency, network: $network,
      groupBy: $groupBy, fiat: $fiat }) { ${selection} }
  }`;

/** A report of these sums of each period and asset. */
const reportWith = (sums: string): Pick<Route, 'document'> & Required<Pick<Route, 'inParts'>> => ({
  inParts: {
    ...{ field: 'rows', columns: ['period', ...sums.split(' ')] },
    ...{ span: reportOf('from to'), head: reportOf(`from to totals { ${sums} }`) },
  },
  document: reportOf(`from to totals { ${sums} } rows { period ${sums} }`),
});

const RECEIPT = `creditedAt orderId invoiceId merchantOrderId merchantInvoiceId txHash currency network amount fee net
  fiatCurrency rate rateAt fiatAmount fiatFee fiatNet reversedAt`;

const MOVEMENT = `at type from to amount currency network orderId withdrawalId refundId txHash
  fiatCurrency fiatRate fiatAmount`;

const movementsIn = (order: 'NEWEST_FIRST' | 'OLDEST_FIRST') => `query movements($startDate: String, $endDate: String,
  $currency: String, $network: String, $limit: Int, $cursor: String) {
    result: movements(first: $limit, after: $cursor, order: ${order},
      filter: { startDate: $startDate, endDate: $endDate, currency: $currency, network: $network }) {
      items: nodes { id ${MOVEMENT} }
      pagination: pageInfo { nextCursor hasMore: hasNextPage }
    }
  }`;

/** In the order of the API's description. */
export const REPORT_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/reports',
    status: 200,
    ...reportWith(REPORT_SUMS),
    alternative: {
      ...{ when: 'fiat', appends: FIAT_SUMS },
      ...reportWith(`${REPORT_SUMS} ${FIAT_SUMS.join(' ')}`),
    },
    errors: ['UNSUPPORTED_ASSET'],
  },
  {
    method: 'GET',
    path: '/reports/receipts',
    status: 200,
    asCsv: RECEIPT.split(/\s+/),
    document: `query receipts($startDate: String, $endDate: String, $limit: Int, $cursor: String) {
      result: receipts(first: $limit, after: $cursor, filter: { startDate: $startDate, endDate: $endDate }) {
        items: nodes { id ${RECEIPT} }
        pagination: pageInfo { nextCursor hasMore: hasNextPage }
      }
    }`,
  },
  {
    method: 'GET',
    path: '/reports/movements',
    status: 200,
    asCsv: MOVEMENT.split(/\s+/),
    document: movementsIn('NEWEST_FIRST'),
    csvDocument: movementsIn('OLDEST_FIRST'),
    errors: ['UNSUPPORTED_ASSET'],
  },
];
