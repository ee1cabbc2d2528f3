// German.

import type { Messages } from './en.ts';

export const de: Messages = {
  language: 'Sprache',
  testPayment: 'Testzahlung: kein echtes Geld',
  order: 'Bestellung {order}',

  labelSend: 'Bitte genau senden',
  labelDue: 'Noch offen',
  labelAmount: 'Betrag',
  labelPaid: 'Bezahlt',
  labelReceived: 'Eingegangen',
  onNetwork: 'über {network}',
  timeLeft: 'Verbleibende Zeit',
  underAMinute: 'weniger als eine Minute',
  confirmations: 'Bestätigungen: {count} von {required}',

  pendingHeading: 'Wir warten auf Ihre Zahlung',
  pendingText:
    'Scannen Sie den Code mit Ihrer Wallet, oder kopieren Sie Adresse und Betrag. Diese Seite aktualisiert sich selbst.',
  partHeading: 'Ein Teil des Betrags ist da',
  partText: 'Wir haben {received} gesehen. Bitte senden Sie die restlichen {due} an dieselbe Adresse.',
  confirmingHeading: 'Zahlung gesehen',
  confirmingText:
    '{received} ist unterwegs und wird von {network} bestätigt. Sie müssen nichts weiter tun und können diese Seite schließen.',
  lapsedHeading: 'Die Zeit ist um',
  lapsedText:
    'Bitte senden Sie jetzt nichts. Wenn Sie schon bezahlt haben, lassen Sie diese Seite offen: Wir prüfen noch.',
  lapsedSeen: 'Bisher haben wir {received} gesehen.',

  succeededHeading: 'Zahlung abgeschlossen',
  succeededText: 'Vielen Dank. {company} hat Ihre Zahlung erhalten.',
  overpaidText: 'Vielen Dank. Sie haben {received} gesendet, mehr als die geforderten {amount}.',
  overpaidStep: 'Um die Differenz zurückzubekommen, wenden Sie sich an {company} und nennen Sie {reference}.',
  lateText: 'Vielen Dank. Ihre Zahlung kam verspätet an, und {company} hat sie angenommen.',
  partlyRefundedHeading: 'Teilweise erstattet',
  partlyRefundedText: 'Die Zahlung war abgeschlossen, und {company} hat einen Teil zurückgesendet.',
  refundedHeading: 'Erstattet',
  refundedText: 'Die Zahlung war abgeschlossen, und {company} hat das Geld zurückgesendet.',
  refundStep: 'Bei Fragen zur Erstattung wenden Sie sich an {company} und nennen Sie {reference}.',

  failedHeading: 'Die Zahlung kam nicht zustande',
  underpaidText: 'Die Zeit war abgelaufen, bevor der volle Betrag da war: Wir haben {received} von {amount} erhalten.',
  underpaidStep:
    'Um die Zahlung abzuschließen oder Ihr Geld zurückzubekommen, wenden Sie sich an {company} und nennen Sie {reference}.',
  unconfirmedText:
    'Ihre Überweisung wurde gesehen, aber {network} hat sie nicht rechtzeitig bestätigt. Das kann noch geschehen; dann steht es hier.',
  unconfirmedStep: 'Sehen Sie sich die Überweisung in Ihrer Wallet an. Senden Sie sie nicht noch einmal.',
  reorgedText:
    '{network} hat Ihre Überweisung nach der Bestätigung wieder entfernt. Das ist selten und nicht Ihre Schuld.',
  reorgedStep: 'Sehen Sie sich die Überweisung in Ihrer Wallet an, bevor Sie erneut bezahlen.',
  helpStep: 'Wenn Sie Hilfe brauchen, wenden Sie sich an {company} und nennen Sie {reference}.',
  doNotSend: 'Bitte senden Sie nichts mehr an diese Adresse.',

  expiredHeading: 'Diese Zahlung ist abgelaufen',
  expiredText: 'Die Zeit zum Bezahlen ist um.',
  canceledHeading: 'Diese Zahlung wurde storniert',
  canceledText: '{company} hat diese Zahlung storniert.',
  arrivedAfterwards: 'Danach haben wir noch {received} erhalten.',
  notLostStep: 'Ihr Geld ist nicht verloren: Wenden Sie sich an {company} und nennen Sie {reference}.',
  startAgainStep: 'Um zu bezahlen, gehen Sie zurück zu {company} und beginnen Sie neu: Sie erhalten eine neue Adresse.',
  alreadyPaidStep: 'Wenn Sie schon bezahlt haben, wenden Sie sich an {company} und nennen Sie {reference}.',

  chooseHeading: 'Wählen Sie, womit Sie bezahlen',
  chooseText: 'Der Kurs gilt dann eine Zeit lang fest, und Sie erhalten eine Adresse, an die Sie zahlen.',
  chooseRestText: 'Wir haben {received} gesehen. Wählen Sie eine Währung für die restlichen {due}.',
  networkHeading: 'Wählen Sie das Netzwerk',
  networkText: 'Nehmen Sie das, über das Ihre Wallet oder Börse {coin} sendet.',
  noCoinHeading: 'Zurzeit ist keine Währung wählbar',
  noCoinText: 'Für {due} gibt es im Moment keine Währung. Diese Seite aktualisiert sich selbst.',
  restText: 'Wir haben {received} gesehen. Bitte senden Sie genau {coins} für die restlichen {due}.',
  newRateHeading: 'Der Kurs gilt nicht mehr',
  newRateText: 'Holen Sie einen neuen Kurs für {due}: Dann sehen Sie Adresse und Betrag wieder.',
  newRestText:
    'Wir haben {received} gesehen. Holen Sie einen neuen Kurs für die restlichen {due}: Dann sehen Sie Adresse und Betrag.',
  alreadySent:
    'Schon gesendet? Es zählt trotzdem, zum heutigen Kurs, falls er niedriger ist: Lassen Sie diese Seite offen.',
  takeNewRate: 'Neuen Kurs holen',
  processingText:
    '{received} ist unterwegs und wird bestätigt. Sie müssen nichts weiter tun und können diese Seite schließen.',
  anotherCoin: 'Mit einer anderen Währung bezahlen',
  backToCoin: 'Zurück zur Zahlung in {coin}',
  rateHolds: 'Der Kurs gilt noch',
  forPrice: 'für {price}',
  about: 'etwa {amount}',
  onSeveralNetworks: 'in mehreren Netzwerken',
  feeLowest: 'niedrigste Gebühr',
  feeMedium: 'mittlere Gebühr',
  feeHigh: 'hohe Gebühr',
  noRate: 'Für diese Währung gibt es zurzeit keinen Kurs.',
  noNode: 'Dieses Netzwerk ist zurzeit nicht verfügbar.',
  belowMinimum: 'Der Betrag ist für diese Währung zu klein.',
  aboveMaximum: 'Der Betrag ist für diese Währung zu groß.',
  refusedHeading: 'Das ließ sich nicht wählen',
  notAccepted: 'Diese Währung wird hier nicht angenommen.',
  takesNoMore: 'Es lässt sich nichts mehr wählen: Es ist bezahlt, oder die Zeit ist um.',
  tooManyChoices: 'Es wurden zu viele Kurse geholt. Zahlen Sie zu einem, der noch gilt, oder kommen Sie morgen wieder.',
  tooManyCalls: 'Aus Ihrem Netz kamen zu viele Anfragen. Bitte versuchen Sie es in einer Minute noch einmal.',
  backToPayment: 'Zurück zur Zahlung',

  whatYouCanDo: 'Was Sie tun können',
  howToPay: 'So bezahlen Sie',
  qrLabel: 'QR-Code, um {amount} über {network} zu bezahlen',
  openInWallet: 'In der Wallet öffnen',
  addressLabel: 'Adresse auf {network}',
  exactAmount: 'Genauer Betrag',
  warning:
    'Senden Sie nur {currency}, und nur über {network}. Alles andere an diese Adresse kann verloren gehen. Netzwerkgebühren kommen zum Betrag hinzu.',
  severalNetworks: '{currency} gibt es in mehreren Netzwerken: Wählen Sie in Ihrer Wallet oder Börse {network}.',
  copy: 'Kopieren',
  copyAddress: 'Adresse kopieren',
  copyAmount: 'Betrag kopieren',
  copied: 'Kopiert',
  selected: 'Markiert',
  returnTo: 'Zurück zu {host}',

  helpSummary: 'Ist etwas schiefgegangen?',
  tooLittle: 'Ich habe zu wenig gesendet',
  tooLittleText:
    'Solange noch Zeit ist, senden Sie den offenen Betrag an dieselbe Adresse; zwei Überweisungen sind so gut wie eine.',
  tooLate: 'Ich habe zu spät oder zu viel gesendet',
  tooLateText:
    'Das Geld ist bei {company} angekommen und nicht verloren. Bitten Sie darum, die Zahlung abzuschließen oder das Geld zurückzusenden.',
  wrongNetwork: 'Ich habe ein anderes Netzwerk oder eine andere Währung benutzt',
  wrongNetworkText: 'Senden Sie nicht noch einmal. Nur {company} kann sagen, ob es zurückzuholen ist.',
  helpReference: 'Nennen Sie {company} in jedem Fall die Referenz unten und die Transaktions-ID aus Ihrer Wallet.',
  reference: 'Zahlungsreferenz',
  offline:
    'Die Verbindung ist unterbrochen. Was Sie sehen, kann veraltet sein; sobald die Verbindung wieder da ist, wird es aktualisiert.',

  notFoundHeading: 'Diese Zahlung gibt es nicht',
  notFoundText:
    'Die Adresse dieser Seite ist vielleicht unvollständig. Öffnen Sie den Link, den Sie bekommen haben, noch einmal, oder gehen Sie zurück zum Shop.',
  errorHeading: 'Diese Seite kann gerade nicht gezeigt werden',
  errorText: 'Wenn Sie bezahlt haben, ist Ihre Zahlung nicht verloren. Bitte laden Sie die Seite in einer Minute neu.',
  errorReference: 'Wenn es so bleibt, nennen Sie dem Shop diese Referenz: {reference}',
};
