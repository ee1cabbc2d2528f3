// The rows of payment links, and what payers submit to them.

import { INVOICE_CHECKOUT } from './invoices.ts';
import type { Route } from './route.ts';

const PAYMENT_LINK = `
  id url name description amount currency minAmount maxAmount acceptedAssets { currency network } requiredFields
  optionalFields maxUses uses endsAt enabled returnUrl callbackUrl metadata expirationMinutes createdAt updatedAt`;

const LINK_CHECKOUT = `
  id description amount currency minAmount maxAmount requiredFields optionalFields isOpen companyName logoUrl
  accentColor locale`;

/** In the order of the API's description. */
export const PAYMENT_LINK_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/payment-links',
    status: 201,
    idempotent: true,
    errors: ['UNSUPPORTED_ASSET', 'ABOVE_MAXIMUM', 'NOT_QUOTED', 'WEBHOOK_URL_REFUSED'],
    example: {
      name: 'Assam, autumn',
      description: 'Two tins of Assam',
      amount: '49.90',
      currency: 'EUR',
      requiredFields: ['EMAIL', 'ADDRESS'],
      optionalFields: ['NOTE'],
      maxUses: 100,
      endsAt: '2030-12-31T23:59:59Z',
      returnUrl: 'https://shop.example/thanks',
      metadata: { campaign: 'autumn' },
    },
    document: `mutation createPaymentLink($input: CreatePaymentLinkInput!) {
      result: createPaymentLink(input: $input) { ${PAYMENT_LINK} }
    }`,
  },
  {
    method: 'GET',
    path: '/payment-links',
    status: 200,
    document: `query paymentLinks($limit: Int, $cursor: String) {
      result: paymentLinks(first: $limit, after: $cursor) {
        items: nodes { ${PAYMENT_LINK} }
        pagination: pageInfo { nextCursor hasMore: hasNextPage }
      }
    }`,
  },
  {
    method: 'GET',
    path: '/payment-links/:id',
    status: 200,
    document: `query paymentLink($id: ID!) { result: paymentLink(id: $id) { ${PAYMENT_LINK} } }`,
  },
  {
    method: 'PUT',
    path: '/payment-links/:id',
    status: 200,
    errors: ['UNSUPPORTED_ASSET', 'ABOVE_MAXIMUM', 'WEBHOOK_URL_REFUSED'],
    example: { maxUses: 200, enabled: true },
    document: `mutation updatePaymentLink($id: ID!, $input: UpdatePaymentLinkInput!) {
      result: updatePaymentLink(id: $id, input: $input) { ${PAYMENT_LINK} }
    }`,
  },
  {
    method: 'GET',
    path: '/checkout/links/:id',
    status: 200,
    document: `query linkCheckout($id: ID!) { result: linkCheckout(id: $id) { ${LINK_CHECKOUT} } }`,
  },
  {
    method: 'POST',
    path: '/checkout/links/:id',
    status: 201,
    idempotent: true,
    errors: ['ABOVE_MAXIMUM', 'TAKES_NO_MORE'],
    example: { email: 'ann@customer.example', address: '1 Main Street, Springfield', note: 'The green tin, please' },
    document: `mutation submitPaymentLink($id: ID!, $amount: String, $email: String, $name: String, $phone: String,
      $address: String, $note: String) {
      result: submitPaymentLink(input: { linkId: $id, amount: $amount, email: $email, name: $name, phone: $phone,
        address: $address, note: $note }) { ${INVOICE_CHECKOUT} }
    }`,
  },
];
