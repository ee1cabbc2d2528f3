// Spanish.

import type { MailLanguage } from '../mails.ts';

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
};
