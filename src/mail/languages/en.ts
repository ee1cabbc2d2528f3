// English.

import type { MailLanguage } from '../mails.ts';

/** The last lines of mails to customers. */
const STOP = [
  'You get this mail because you paid {company} through {host}. To get no more mails from {company}:',
  '{unsubscribe}',
];

export const en: MailLanguage = {
  INVITATION: {
    subject: '{company} invites you to Turnpike',
    lines: [
      '{company} invites you to its account at {host}.',
      'Accept within seven days:',
      '{link}',
      'If you did not expect this, do nothing.',
    ],
  },
  INVITATION_TO_REGISTER: {
    subject: 'An invitation to {host}',
    lines: [
      'The operator of {host} invites you to open an account there, to take crypto payments with Turnpike.',
      'Register within seven days:',
      '{link}',
      'If you did not expect this, do nothing.',
    ],
  },
  RESET_PASSWORD: {
    subject: 'Choose a new password',
    lines: [
      'Somebody asked for a new password for {email} at {host}. If it was you, choose one within 30 minutes:',
      '{link}',
      'All your sessions end then. If it was not you, do nothing: your password stays as it is.',
    ],
  },
  PASSWORD_CHANGED: {
    subject: 'Your password was changed',
    lines: [
      'The password of {email} at {host} was changed, and your other sessions ended.',
      'If it was not you, choose a new one at once, and tell the operator of {host}:',
      '{link}',
    ],
  },
  VERIFY_EMAIL: {
    subject: 'Confirm your e-mail address',
    lines: ['Confirm within 24 hours that {email} is yours, at {host}:', '{link}'],
  },
  SIGN_IN_CODE: {
    subject: '{code} is your code',
    lines: ['To sign in at {host}, enter {code}. If you did not try to sign in, choose a new password.'],
  },
  EMAIL_CHANGED: {
    subject: 'Your e-mail address was changed',
    lines: [
      'The e-mail address of your account at {host} is now {address}. If it was not you, take it back within seven days; all sessions end then:',
      '{link}',
    ],
  },
  FACTOR_CHANGED: {
    subject: 'Your second factors were changed',
    lines: [
      'A second factor of {email} at {host} was added, used up or removed. If it was not you, choose a new password at once:',
      '{link}',
    ],
  },
  IDENTITY_CHANGED: {
    subject: 'Another way to sign in was linked or removed',
    lines: [
      'An account at another provider, by which {email} signs in at {host}, was linked or removed. If it was not you, choose a new password at once; that unlinks all such accounts:',
      '{link}',
    ],
  },
  NEW_DEVICE: {
    subject: 'A sign-in from a new device',
    lines: [
      'Somebody signed in as {email} at {host}, from {address} with {device}, at {at}. If it was not you, end that session and choose a new password at once:',
      '{link}',
    ],
  },
  MEMBER_CHANGED: {
    subject: 'A change of members at {company}',
    lines: ['{by} changed what {member} may do at {company}:', '{link}'],
  },
  APPROVER_ADDED: {
    subject: '{member} may approve payouts of {company}',
    lines: ['{by} gave {member} the right to approve payouts of {company}. It holds from {from}:', '{link}'],
  },
  KEY_WITH_WITHDRAW: {
    subject: 'A key that may withdraw, at {company}',
    lines: ['{by} made or changed the key "{key}" of {company}, which may withdraw money:', '{link}'],
  },
  WEBHOOK_OFF: {
    subject: 'A webhook of {company} was switched off',
    lines: [
      '{url} has failed for so long that {company} sends nothing there any more. Mend it, and switch it on again:',
      '{link}',
    ],
  },
  PAYOUT_AWAITING: {
    subject: '{company}: a payout waits for approval',
    lines: ['{by} asked to pay {amount} to {address}. Approve or reject it:', '{link}'],
  },
  PAYOUT_FAILED: {
    subject: '{company}: a payout failed',
    lines: ['The payout {id} of {amount} failed. Its money is available again:', '{link}'],
  },
  PAYOUT_REJECTED: {
    subject: '{company}: a payout was rejected',
    lines: ['The payout {id} of {amount} was rejected: {reason}. Its money is available again:', '{link}'],
  },
  ADDRESS_ADDED: {
    subject: '{company}: a new address for payouts',
    lines: ['{by} added {address} ({network}) to the book of {company}. It can be paid to from {from}:', '{link}'],
  },
  POLICY_LOOSENED: {
    subject: '{company}: the rules for payouts get looser',
    lines: [
      '{by} loosened the rules for payouts of {company}. The change holds from {from}, and can be canceled until then:',
      '{link}',
    ],
  },
  SETTLEMENT_SKIPPED: {
    subject: '{company}: a settlement was skipped',
    lines: ['The settlement {id} paid nothing this time: {reason}:', '{link}'],
  },
  PAYOUT_STUCK: {
    subject: 'A payout on {network} is stuck',
    lines: [
      'The payout {id} of {amount} has been open since {since}. Stuck on {network}: {count}. See what holds it:',
      '{link}',
    ],
  },
  GAS_LOW: {
    subject: 'The gas wallet on {network} is low',
    lines: [
      'The gas wallet {address} on {network} holds {amount}; one payout may cost {needed}. Soon payouts wait. Send it coin:',
      '{link}',
    ],
  },
  SUSPENSE_FOUND: {
    subject: 'Suspense was found on {network}',
    lines: [
      'On {network} the chain and the book differ by {amount}. It stays in suspense until you explain it:',
      '{link}',
    ],
  },
  ACTION_PENDING: {
    subject: '{amount}: an action waits for another operator',
    lines: ['{by} asks for {action} of {amount}: {reason}. Approve or reject it within 72 hours:', '{link}'],
  },
  RECEIPT: {
    subject: '{company}: your payment has arrived',
    lines: [
      '{company} has received {amount} for {about}.',
      '{link}',
      'If you have a question, write to {contact}.',
      ...STOP,
    ],
  },
  UNDERPAID: {
    subject: '{company}: {rest} is still due',
    lines: [
      '{company} has received {amount} for {about}. {rest} is still due. While there is time left, send it to the same address:',
      '{link}',
      'If you have a question, write to {contact}.',
      ...STOP,
    ],
  },
  UNDERPAID_ENDED: {
    subject: '{company}: your payment was not complete',
    lines: [
      '{company} has received {amount} for {about}, which is too little, and the time to pay is over. Do not send more. Write to {contact}: they can complete the payment or send the money back.',
      '{link}',
      ...STOP,
    ],
  },
  REFUND_SENT: {
    subject: '{company} has sent money back to you',
    lines: [
      '{company} has sent {amount} for {about} back, to {address}.',
      '{link}',
      'If you have a question, write to {contact}.',
      ...STOP,
    ],
  },
};
