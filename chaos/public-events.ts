// Which events are sent as webhooks, as the documentation of the API has it.

const OF_PAYMENT = /^payment\.(succeeded|failed|expired|refunded)$/;
const OF_INVOICE = /^invoice\.(created|processing|settled|failed|expired|refunded)$/;

/** Whether events of a type are sent; those of an invoice's payments are not, as the invoice has events of its own. */
export function isPublic(type: string, isOfInvoicesPayment: boolean): boolean {
  return (OF_PAYMENT.test(type) && !isOfInvoicesPayment) || OF_INVOICE.test(type);
}
