// French.

import type { MailLanguage } from '../mails.ts';

export const fr: MailLanguage = {
  INVITATION: {
    subject: '{company} vous invite sur Turnpike',
    lines: [
      '{company} vous invite à rejoindre son compte sur {host}.',
      'Acceptez l’invitation dans les sept jours :',
      '{link}',
      'Si vous ne vous y attendiez pas, vous n’avez rien à faire.',
    ],
  },
  RESET_PASSWORD: {
    subject: 'Choisissez un nouveau mot de passe',
    lines: [
      'Un nouveau mot de passe a été demandé pour {email} sur {host}. Si c’est vous, choisissez-le dans les 30 minutes :',
      '{link}',
      'Toutes vos sessions prendront fin. Si ce n’est pas vous, ne faites rien : votre mot de passe ne change pas.',
    ],
  },
  PASSWORD_CHANGED: {
    subject: 'Votre mot de passe a été modifié',
    lines: [
      'Le mot de passe de {email} sur {host} a été modifié et vos autres sessions ont pris fin.',
      'Si ce n’est pas vous, choisissez-en un nouveau tout de suite et prévenez l’exploitant de {host} :',
      '{link}',
    ],
  },
};
