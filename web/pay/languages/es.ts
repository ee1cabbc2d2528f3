// Spanish.

import type { Messages } from './en.ts';

export const es: Messages = {
  language: 'Idioma',
  testPayment: 'Pago de prueba: sin dinero real',
  order: 'Pedido {order}',

  labelSend: 'Envíe exactamente',
  labelDue: 'Falta por pagar',
  labelAmount: 'Importe',
  labelPaid: 'Pagado',
  labelReceived: 'Recibido',
  onNetwork: 'en {network}',
  timeLeft: 'Tiempo restante',
  underAMinute: 'menos de un minuto',
  confirmations: 'Confirmaciones: {count} de {required}',

  pendingHeading: 'Esperando su pago',
  pendingText: 'Escanee el código con su monedero, o copie la dirección y el importe. Esta página se actualiza sola.',
  partHeading: 'Ha llegado una parte del importe',
  partText: 'Hemos visto {received}. Envíe los {due} restantes a la misma dirección.',
  confirmingHeading: 'Pago detectado',
  confirmingText:
    '{received} está en camino y {network} lo está confirmando. No tiene que hacer nada más; puede cerrar esta página.',
  lapsedHeading: 'Se acabó el tiempo',
  lapsedText: 'Por favor, no envíe nada ahora. Si ya ha pagado, deje esta página abierta: aún lo estamos comprobando.',
  lapsedSeen: 'Hasta ahora hemos visto {received}.',

  succeededHeading: 'Pago completado',
  succeededText: 'Gracias. {company} ha recibido su pago.',
  overpaidText: 'Gracias. Ha enviado {received}, más de los {amount} que se pedían.',
  overpaidStep: 'Para recuperar la diferencia, contacte con {company} e indique {reference}.',
  lateText: 'Gracias. Su pago llegó tarde y {company} lo ha aceptado.',
  partlyRefundedHeading: 'Reembolsado en parte',
  partlyRefundedText: 'El pago se completó y {company} ha devuelto una parte.',
  refundedHeading: 'Reembolsado',
  refundedText: 'El pago se completó y {company} ha devuelto el dinero.',
  refundStep: 'Si tiene preguntas sobre el reembolso, contacte con {company} e indique {reference}.',

  failedHeading: 'El pago no se completó',
  underpaidText: 'El tiempo se acabó antes de que llegara el importe completo: hemos recibido {received} de {amount}.',
  underpaidStep: 'Para completar el pago o recuperar su dinero, contacte con {company} e indique {reference}.',
  unconfirmedText:
    'Su transferencia se vio, pero {network} no la ha confirmado a tiempo. Aún puede confirmarse; en ese caso, esta página lo dirá.',
  unconfirmedStep: 'Mire la transferencia en su monedero. No la envíe otra vez.',
  reorgedText: '{network} ha retirado su transferencia después de confirmarla. Es poco frecuente y no es culpa suya.',
  reorgedStep: 'Mire la transferencia en su monedero antes de volver a pagar.',
  helpStep: 'Si necesita ayuda, contacte con {company} e indique {reference}.',
  doNotSend: 'Por favor, no envíe nada más a esta dirección.',

  expiredHeading: 'Este pago ha caducado',
  expiredText: 'El plazo para pagar ha terminado.',
  canceledHeading: 'Este pago se canceló',
  canceledText: '{company} ha cancelado este pago.',
  arrivedAfterwards: 'Después recibimos {received}.',
  notLostStep: 'Su dinero no se ha perdido: contacte con {company} e indique {reference}.',
  startAgainStep: 'Para pagar, vuelva a {company} y empiece de nuevo: recibirá otra dirección.',
  alreadyPaidStep: 'Si ya ha pagado, contacte con {company} e indique {reference}.',

  whatYouCanDo: 'Qué puede hacer',
  howToPay: 'Cómo pagar',
  qrLabel: 'Código QR para pagar {amount} en {network}',
  openInWallet: 'Abrir en el monedero',
  addressLabel: 'Dirección en {network}',
  exactAmount: 'Importe exacto',
  warning:
    'Envíe solo {currency}, y solo por {network}. Cualquier otra cosa enviada a esta dirección puede perderse. Las comisiones de la red se suman al importe.',
  severalNetworks: '{currency} existe en varias redes: elija {network} en su monedero o plataforma de intercambio.',
  copy: 'Copiar',
  copyAddress: 'Copiar la dirección',
  copyAmount: 'Copiar el importe',
  copied: 'Copiado',
  selected: 'Marcado',
  returnTo: 'Volver a {host}',

  helpSummary: '¿Algo ha salido mal?',
  tooLittle: 'He enviado de menos',
  tooLittleText:
    'Mientras quede tiempo, envíe lo que falta a la misma dirección; dos transferencias valen igual que una.',
  tooLate: 'He enviado tarde, o de más',
  tooLateText: 'El dinero ha llegado a {company} y no se ha perdido. Pida que completen el pago o que lo devuelvan.',
  wrongNetwork: 'He usado otra red u otra moneda',
  wrongNetworkText: 'No lo envíe otra vez. Solo {company} puede decir si se puede recuperar.',
  helpReference:
    'En todos los casos, dé a {company} la referencia de abajo y el identificador de la transacción que muestra su monedero.',
  reference: 'Referencia del pago',
  offline: 'Se ha perdido la conexión. Lo que ve puede no estar al día; se actualizará en cuanto vuelva la conexión.',

  notFoundHeading: 'Este pago no existe',
  notFoundText:
    'Puede que la dirección de esta página esté incompleta. Abra otra vez el enlace que recibió, o vuelva a la tienda.',
  errorHeading: 'Esta página no se puede mostrar ahora',
  errorText: 'Si ya ha pagado, su pago no se ha perdido. Vuelva a cargar la página en un minuto.',
  errorReference: 'Si sigue así, dé a la tienda esta referencia: {reference}',
};
