// Spanish.

import type { MailLanguage } from '../mails.ts';

/** The last lines of mails to customers. */
const STOP = [
  'Recibe este mensaje porque pagó a {company} a través de {host}. Para no recibir más mensajes de {company}:',
  '{unsubscribe}',
];

export const es: MailLanguage = {
  INVITATION: {
    subject: '{company} le invita a Turnpike',
    lines: [
      '{company} le invita a su cuenta en {host}.',
      'Acepte la invitación en un plazo de siete días:',
      '{link}',
      'Si no esperaba este mensaje, no tiene que hacer nada.',
    ],
  },
  INVITATION_TO_REGISTER: {
    subject: 'Una invitación a {host}',
    lines: [
      'El operador de {host} le invita a abrir allí una cuenta para cobrar en criptomonedas con Turnpike.',
      'Regístrese en un plazo de siete días:',
      '{link}',
      'Si no esperaba este mensaje, no tiene que hacer nada.',
    ],
  },
  RESET_PASSWORD: {
    subject: 'Elija una contraseña nueva',
    lines: [
      'Se ha pedido una contraseña nueva para {email} en {host}. Si ha sido usted, elíjala en los próximos 30 minutos:',
      '{link}',
      'Entonces terminarán todas sus sesiones. Si no ha sido usted, no haga nada: su contraseña no cambia.',
    ],
  },
  PASSWORD_CHANGED: {
    subject: 'Su contraseña ha cambiado',
    lines: [
      'La contraseña de {email} en {host} ha cambiado y sus otras sesiones han terminado.',
      'Si no ha sido usted, elija otra de inmediato y avise a quien administra {host}:',
      '{link}',
    ],
  },
  VERIFY_EMAIL: {
    subject: 'Confirme su dirección de correo',
    lines: ['Confirme en 24 horas que {email} es suya, en {host}:', '{link}'],
  },
  SIGN_IN_CODE: {
    subject: '{code} es su código',
    lines: ['Para entrar en {host}, escriba {code}. Si no intentó entrar, elija una contraseña nueva.'],
  },
  EMAIL_CHANGED: {
    subject: 'Su dirección de correo ha cambiado',
    lines: [
      'La dirección de correo de su cuenta en {host} es ahora {address}. Si no fue usted, recupérela en siete días; entonces terminan todas las sesiones:',
      '{link}',
    ],
  },
  FACTOR_CHANGED: {
    subject: 'Sus segundos factores han cambiado',
    lines: [
      'Un segundo factor de {email} en {host} se añadió, se gastó o se eliminó. Si no fue usted, elija enseguida una contraseña nueva:',
      '{link}',
    ],
  },
  IDENTITY_CHANGED: {
    subject: 'Se vinculó o se quitó otra forma de iniciar sesión',
    lines: [
      'Una cuenta de otro proveedor con la que {email} inicia sesión en {host} se vinculó o se quitó. Si no fue usted, elija enseguida una contraseña nueva; así se desvinculan todas esas cuentas:',
      '{link}',
    ],
  },
  NEW_DEVICE: {
    subject: 'Inicio de sesión desde un dispositivo nuevo',
    lines: [
      'Alguien ha entrado como {email} en {host}, desde {address} con {device}, a las {at}. Si no fue usted, cierre esa sesión y elija enseguida una contraseña nueva:',
      '{link}',
    ],
  },
  MEMBER_CHANGED: {
    subject: 'Un cambio de miembros en {company}',
    lines: ['{by} cambió lo que {member} puede hacer en {company}:', '{link}'],
  },
  APPROVER_ADDED: {
    subject: '{member} puede aprobar pagos de {company}',
    lines: ['{by} dio a {member} el derecho a aprobar pagos salientes de {company}. Vale desde {from}:', '{link}'],
  },
  KEY_WITH_WITHDRAW: {
    subject: 'Una clave de {company} que puede retirar',
    lines: ['{by} creó o cambió la clave «{key}» de {company}, que puede retirar dinero:', '{link}'],
  },
  WEBHOOK_OFF: {
    subject: 'Se desactivó un webhook de {company}',
    lines: [
      '{url} ha fallado tanto tiempo que {company} ya no envía nada allí. Arréglelo y actívelo de nuevo:',
      '{link}',
    ],
  },
  PAYOUT_AWAITING: {
    subject: '{company}: un pago espera aprobación',
    lines: ['{by} quiere pagar {amount} a {address}. Apruébelo o rechácelo:', '{link}'],
  },
  PAYOUT_FAILED: {
    subject: '{company}: un pago ha fallado',
    lines: ['El pago {id} de {amount} ha fallado. Su dinero vuelve a estar disponible:', '{link}'],
  },
  PAYOUT_REJECTED: {
    subject: '{company}: un pago fue rechazado',
    lines: ['El pago {id} de {amount} fue rechazado: {reason}. Su dinero vuelve a estar disponible:', '{link}'],
  },
  ADDRESS_ADDED: {
    subject: '{company}: una dirección nueva para pagos',
    lines: ['{by} añadió {address} ({network}) a la libreta de {company}. Se le puede pagar desde {from}:', '{link}'],
  },
  POLICY_LOOSENED: {
    subject: '{company}: reglas de pago menos estrictas',
    lines: [
      '{by} relajó las reglas de pago de {company}. El cambio vale desde {from} y se puede cancelar hasta entonces:',
      '{link}',
    ],
  },
  SETTLEMENT_SKIPPED: {
    subject: '{company}: se omitió una liquidación',
    lines: ['La liquidación {id} no pagó nada esta vez: {reason}:', '{link}'],
  },
  PAYOUT_STUCK: {
    subject: 'Un pago en {network} está atascado',
    lines: [
      'El pago {id} de {amount} está abierto desde {since}. Atascados en {network}: {count}. Vea qué lo retiene:',
      '{link}',
    ],
  },
  GAS_LOW: {
    subject: 'La cartera de gas en {network} está casi vacía',
    lines: [
      'La cartera de gas {address} en {network} tiene {amount}; un pago puede costar {needed}. Pronto los pagos esperarán. Envíele fondos:',
      '{link}',
    ],
  },
  SUSPENSE_FOUND: {
    subject: 'Fondos sin explicar en {network}',
    lines: [
      'En {network} la cadena y el libro difieren en {amount}. El importe queda en suspenso hasta que usted lo explique:',
      '{link}',
    ],
  },
  ACTION_PENDING: {
    subject: '{amount}: una acción espera a otro operador',
    lines: ['{by} pide {action} por {amount}: {reason}. Apruébelo o recházelo en un plazo de 72 horas:', '{link}'],
  },
  RECEIPT: {
    subject: '{company}: su pago ha llegado',
    lines: [
      '{company} ha recibido {amount} por {about}.',
      '{link}',
      'Si tiene alguna pregunta, escriba a {contact}.',
      ...STOP,
    ],
  },
  UNDERPAID: {
    subject: '{company}: aún faltan {rest}',
    lines: [
      '{company} ha recibido {amount} por {about}. Aún faltan {rest}. Mientras quede tiempo, envíelos a la misma dirección:',
      '{link}',
      'Si tiene alguna pregunta, escriba a {contact}.',
      ...STOP,
    ],
  },
  UNDERPAID_ENDED: {
    subject: '{company}: su pago no estaba completo',
    lines: [
      '{company} ha recibido {amount} por {about}, que es demasiado poco, y el plazo para pagar ha terminado. No envíe más. Escriba a {contact}: pueden aceptar el pago o devolver el dinero.',
      '{link}',
      ...STOP,
    ],
  },
  REFUND_SENT: {
    subject: '{company} le ha devuelto dinero',
    lines: [
      '{company} ha devuelto {amount} por {about}, a {address}.',
      '{link}',
      'Si tiene alguna pregunta, escriba a {contact}.',
      ...STOP,
    ],
  },
};
