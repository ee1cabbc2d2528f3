// English.

import type { MailLanguage } from '../mails.ts';

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
};
