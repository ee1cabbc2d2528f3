// English, in which the page is written: the other languages have the same keys and the same {placeholders}.

export const en = {
  language: 'Language',
  testPayment: 'Test payment: no real money',
  order: 'Order {order}',

  labelSend: 'Send exactly',
  labelDue: 'Still due',
  labelAmount: 'Amount',
  labelPaid: 'Paid',
  labelReceived: 'Received',
  onNetwork: 'on {network}',
  timeLeft: 'Time left',
  underAMinute: 'less than a minute',
  confirmations: 'Confirmations: {count} of {required}',

  pendingHeading: 'Waiting for your payment',
  pendingText: 'Scan the code with your wallet, or copy address and amount. This page updates by itself.',
  partHeading: 'Part of the amount has arrived',
  partText: 'We have seen {received}. Please send the remaining {due} to the same address.',
  confirmingHeading: 'Payment seen',
  confirmingText:
    '{received} is on its way and {network} is confirming it. There is nothing more for you to do; you may close this page.',
  lapsedHeading: 'The time is up',
  lapsedText: 'Please do not send anything now. If you have already paid, leave this page open: we are still checking.',
  lapsedSeen: 'We have seen {received} so far.',

  succeededHeading: 'Payment complete',
  succeededText: 'Thank you. {company} has received your payment.',
  overpaidText: 'Thank you. You sent {received}, which is more than the {amount} that was due.',
  overpaidStep: 'To get the difference back, contact {company} and quote {reference}.',
  lateText: 'Thank you. Your payment arrived late, and {company} has accepted it.',
  partlyRefundedHeading: 'Partly refunded',
  partlyRefundedText: 'The payment was completed, and {company} has sent part of it back.',
  refundedHeading: 'Refunded',
  refundedText: 'The payment was completed, and {company} has sent the money back.',
  refundStep: 'With questions about the refund, contact {company} and quote {reference}.',

  failedHeading: 'The payment was not completed',
  underpaidText: 'The time ran out before the full amount had arrived: we received {received} of {amount}.',
  underpaidStep: 'To complete the payment or get your money back, contact {company} and quote {reference}.',
  unconfirmedText:
    'Your transfer was seen, but {network} has not confirmed it in time. It may still be confirmed; this page will then say so.',
  unconfirmedStep: 'Look at the transfer in your wallet. Do not send it a second time.',
  reorgedText: '{network} has removed your transfer after it had been confirmed. This is rare and not your fault.',
  reorgedStep: 'Look at the transfer in your wallet before you pay again.',
  helpStep: 'For help, contact {company} and quote {reference}.',
  doNotSend: 'Please do not send anything to this address any more.',

  expiredHeading: 'This payment has expired',
  expiredText: 'The time to pay has run out.',
  canceledHeading: 'This payment was canceled',
  canceledText: '{company} has canceled this payment.',
  arrivedAfterwards: 'We received {received} afterwards.',
  notLostStep: 'Your money is not lost: contact {company} and quote {reference}.',
  startAgainStep: 'To pay, go back to {company} and start again: you will get a new address.',
  alreadyPaidStep: 'If you have already paid, contact {company} and quote {reference}.',

  whatYouCanDo: 'What you can do',
  howToPay: 'How to pay',
  qrLabel: 'QR code to pay {amount} on {network}',
  openInWallet: 'Open in wallet',
  addressLabel: 'Address on {network}',
  exactAmount: 'Exact amount',
  warning:
    'Send only {currency}, and only on {network}. Anything else sent to this address may be lost. Network fees come on top of the amount.',
  severalNetworks: '{currency} exists on several networks: choose {network} in your wallet or exchange.',
  copy: 'Copy',
  copyAddress: 'Copy address',
  copyAmount: 'Copy amount',
  copied: 'Copied',
  selected: 'Selected',
  returnTo: 'Return to {host}',

  helpSummary: 'Something went wrong?',
  tooLittle: 'I sent too little',
  tooLittleText:
    'While there is time left, send what is still due to the same address; two transfers are as good as one.',
  tooLate: 'I sent too late, or too much',
  tooLateText:
    'The money has arrived at {company} and is not lost. Ask them to complete the payment or to send it back.',
  wrongNetwork: 'I used another network or another coin',
  wrongNetworkText: 'Do not send again. Only {company} can say whether it can be recovered.',
  helpReference: "In each case give {company} the reference below and the transaction's id from your wallet.",
  reference: 'Payment reference',
  offline:
    'The connection is lost. What you see may be out of date; it is brought up to date as soon as the connection is back.',

  notFoundHeading: 'There is no such payment',
  notFoundText:
    'The address of this page may be incomplete. Open the link you were given once more, or go back to the shop.',
  errorHeading: 'This page cannot be shown just now',
  errorText: 'A payment you have made is not lost. Please load the page again in a minute.',
  errorReference: 'If it goes on, tell the shop this reference: {reference}',
};

/** Every sentence of the page by its key. */
export type Messages = Readonly<Record<keyof typeof en, string>>;
