// German.

import type { MailLanguage } from '../mails.ts';

export const de: MailLanguage = {
  INVITATION: {
    subject: '{company} lädt Sie zu Turnpike ein',
    lines: [
      '{company} lädt Sie zum Konto bei {host} ein.',
      'Nehmen Sie die Einladung innerhalb von sieben Tagen an:',
      '{link}',
      'Wenn Sie damit nichts anfangen können, müssen Sie nichts tun.',
    ],
  },
  RESET_PASSWORD: {
    subject: 'Neues Passwort wählen',
    lines: [
      'Für {email} wurde bei {host} ein neues Passwort angefordert. Wenn Sie das waren, wählen Sie innerhalb von 30 Minuten eines:',
      '{link}',
      'Dann enden alle Ihre Sitzungen. Wenn Sie es nicht waren, müssen Sie nichts tun: Ihr Passwort bleibt, wie es ist.',
    ],
  },
  PASSWORD_CHANGED: {
    subject: 'Ihr Passwort wurde geändert',
    lines: [
      'Das Passwort von {email} bei {host} wurde geändert, und Ihre anderen Sitzungen wurden beendet.',
      'Wenn Sie das nicht waren, wählen Sie sofort ein neues, und sagen Sie dem Betreiber von {host} Bescheid:',
      '{link}',
    ],
  },
};
