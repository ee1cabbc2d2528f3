// German.

import type { MailLanguage } from '../mails.ts';

/** The last lines of mails to customers. */
const STOP = [
  'Sie erhalten diese Mail, weil Sie über {host} an {company} gezahlt haben. Keine weiteren Mails von {company}:',
  '{unsubscribe}',
];

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
  INVITATION_TO_REGISTER: {
    subject: 'Eine Einladung zu {host}',
    lines: [
      'Der Betreiber von {host} lädt Sie ein, dort ein Konto zu eröffnen und mit Turnpike Zahlungen in Kryptowährungen anzunehmen.',
      'Registrieren Sie sich innerhalb von sieben Tagen:',
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
  VERIFY_EMAIL: {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    lines: ['Bestätigen Sie innerhalb von 24 Stunden, dass {email} bei {host} Ihnen gehört:', '{link}'],
  },
  SIGN_IN_CODE: {
    subject: '{code} ist Ihr Code',
    lines: [
      'Um sich bei {host} anzumelden, geben Sie {code} ein. Wenn Sie sich nicht anmelden wollten, wählen Sie ein neues Passwort.',
    ],
  },
  EMAIL_CHANGED: {
    subject: 'Ihre E-Mail-Adresse wurde geändert',
    lines: [
      'Die E-Mail-Adresse Ihres Kontos bei {host} ist jetzt {address}. Wenn Sie das nicht waren, machen Sie es innerhalb von sieben Tagen rückgängig; dann enden alle Sitzungen:',
      '{link}',
    ],
  },
  FACTOR_CHANGED: {
    subject: 'Ihre zweiten Faktoren wurden geändert',
    lines: [
      'Ein zweiter Faktor von {email} bei {host} wurde hinzugefügt, verbraucht oder entfernt. Wenn Sie das nicht waren, wählen Sie sofort ein neues Passwort:',
      '{link}',
    ],
  },
  IDENTITY_CHANGED: {
    subject: 'Eine andere Art der Anmeldung wurde verknüpft oder entfernt',
    lines: [
      'Ein Konto bei einem anderen Anbieter, mit dem sich {email} bei {host} anmeldet, wurde verknüpft oder entfernt. Wenn Sie das nicht waren, wählen Sie sofort ein neues Passwort; damit werden alle solchen Konten getrennt:',
      '{link}',
    ],
  },
  NEW_DEVICE: {
    subject: 'Anmeldung von einem neuen Gerät',
    lines: [
      'Jemand hat sich als {email} bei {host} angemeldet, von {address} mit {device}, um {at}. Wenn Sie das nicht waren, beenden Sie diese Sitzung und wählen Sie sofort ein neues Passwort:',
      '{link}',
    ],
  },
  MEMBER_CHANGED: {
    subject: 'Eine Änderung bei den Mitgliedern von {company}',
    lines: ['{by} hat geändert, was {member} bei {company} darf:', '{link}'],
  },
  APPROVER_ADDED: {
    subject: '{member} darf Auszahlungen von {company} freigeben',
    lines: [
      '{by} hat {member} das Recht gegeben, Auszahlungen von {company} freizugeben. Es gilt ab {from}:',
      '{link}',
    ],
  },
  KEY_WITH_WITHDRAW: {
    subject: 'Ein Schlüssel von {company}, der auszahlen darf',
    lines: ['{by} hat den Schlüssel „{key}“ von {company}, der Geld auszahlen darf, erstellt oder geändert:', '{link}'],
  },
  WEBHOOK_OFF: {
    subject: 'Ein Webhook von {company} wurde abgeschaltet',
    lines: [
      '{url} hat so lange nicht funktioniert, dass {company} dorthin nichts mehr sendet. Beheben Sie es und schalten Sie ihn wieder ein:',
      '{link}',
    ],
  },
  PAYOUT_AWAITING: {
    subject: '{company}: Eine Auszahlung wartet auf Freigabe',
    lines: ['{by} möchte {amount} an {address} auszahlen. Geben Sie sie frei oder lehnen Sie sie ab:', '{link}'],
  },
  PAYOUT_FAILED: {
    subject: '{company}: Eine Auszahlung ist gescheitert',
    lines: ['Die Auszahlung {id} über {amount} ist gescheitert. Ihr Geld ist wieder verfügbar:', '{link}'],
  },
  PAYOUT_REJECTED: {
    subject: '{company}: Eine Auszahlung wurde abgelehnt',
    lines: ['Die Auszahlung {id} über {amount} wurde abgelehnt: {reason}. Ihr Geld ist wieder verfügbar:', '{link}'],
  },
  ADDRESS_ADDED: {
    subject: '{company}: Eine neue Adresse für Auszahlungen',
    lines: [
      '{by} hat {address} ({network}) ins Adressbuch von {company} aufgenommen. Dorthin kann ab {from} gezahlt werden:',
      '{link}',
    ],
  },
  POLICY_LOOSENED: {
    subject: '{company}: Die Regeln für Auszahlungen werden lockerer',
    lines: [
      '{by} hat die Regeln für Auszahlungen von {company} gelockert. Die Änderung gilt ab {from} und kann bis dahin abgebrochen werden:',
      '{link}',
    ],
  },
  SETTLEMENT_SKIPPED: {
    subject: '{company}: Eine Abrechnung wurde ausgelassen',
    lines: ['Die Abrechnung {id} hat diesmal nichts ausgezahlt: {reason}:', '{link}'],
  },
  PAYOUT_STUCK: {
    subject: 'Eine Auszahlung auf {network} steckt fest',
    lines: [
      'Die Auszahlung {id} über {amount} ist seit {since} offen. Auf {network} stecken fest: {count}. Sehen Sie nach, was sie hält:',
      '{link}',
    ],
  },
  GAS_LOW: {
    subject: 'Das Gas-Wallet auf {network} ist fast leer',
    lines: [
      'Das Gas-Wallet {address} auf {network} hält {amount}; eine Auszahlung kann {needed} kosten. Bald warten Auszahlungen. Laden Sie es auf:',
      '{link}',
    ],
  },
  SUSPENSE_FOUND: {
    subject: 'Ungeklärtes Geld auf {network}',
    lines: [
      'Auf {network} weichen Kette und Buch um {amount} voneinander ab. Der Betrag bleibt ungeklärt, bis Sie ihn zuordnen:',
      '{link}',
    ],
  },
  ACTION_PENDING: {
    subject: '{amount}: eine Aktion wartet auf einen zweiten Betreiber',
    lines: [
      '{by} beantragt {action} über {amount}: {reason}. Genehmigen Sie das innerhalb von 72 Stunden, oder lehnen Sie es ab:',
      '{link}',
    ],
  },
  RECEIPT: {
    subject: '{company}: Ihre Zahlung ist angekommen',
    lines: [
      '{company} hat {amount} für {about} erhalten.',
      '{link}',
      'Bei Fragen schreiben Sie an {contact}.',
      ...STOP,
    ],
  },
  UNDERPAID: {
    subject: '{company}: {rest} fehlen noch',
    lines: [
      '{company} hat {amount} für {about} erhalten. Es fehlen noch {rest}. Senden Sie sie an dieselbe Adresse, solange noch Zeit bleibt:',
      '{link}',
      'Bei Fragen schreiben Sie an {contact}.',
      ...STOP,
    ],
  },
  UNDERPAID_ENDED: {
    subject: '{company}: Ihre Zahlung war nicht vollständig',
    lines: [
      '{company} hat {amount} für {about} erhalten. Das ist zu wenig, und die Zeit zum Zahlen ist vorbei. Senden Sie nichts mehr. Schreiben Sie an {contact}: Dort kann die Zahlung angenommen oder das Geld zurückgesandt werden.',
      '{link}',
      ...STOP,
    ],
  },
  REFUND_SENT: {
    subject: '{company} hat Ihnen Geld zurückgesandt',
    lines: [
      '{company} hat {amount} für {about} zurückgesandt, an {address}.',
      '{link}',
      'Bei Fragen schreiben Sie an {contact}.',
      ...STOP,
    ],
  },
};
