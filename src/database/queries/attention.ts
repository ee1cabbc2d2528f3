// What waits for its merchant, as the indexes payment_attention and invoice_attention have it: money is here that was
// not asked for, or not in time, or too little of it, and was neither accepted nor given back; or paid money is gone.

/** SQL: of a payment that belongs to no invoice. */
export const PAYMENT_WAITS = `invoice_id is null and (exception = 'REORGED'
  or (exception = 'OVERPAID' and amount_received - amount_refunded > amount)
  or (status in ('FAILED', 'EXPIRED', 'CANCELED') and amount_received > amount_refunded))`;

/** SQL: of an invoice. */
export const INVOICE_WAITS = `(exception = 'REORGED' or (exception = 'OVERPAID' and value_refunded = 0)
  or (status in ('FAILED', 'EXPIRED', 'CANCELED') and value_received > value_refunded))`;
