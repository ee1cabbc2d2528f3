// The order that every candidate creates: the required fields, and the optional ones that merchants usually send.

/** The body of POST /payments, and the `input` of createPayment. */
export const paymentBody = {
  amount: '25.00',
  currency: 'USDT',
  network: 'ETH',
  merchantOrderId: 'order-2026-000042',
  productName: 'Annual subscription',
  customerEmail: 'customer@example.com',
};

/** Selects the fields that REST returns. */
export const createPaymentDocument = `mutation CreatePayment($input: CreatePaymentInput!) {
  createPayment(input: $input) { id address amount currency network paymentUrl expiresAt status createdAt }
}`;
