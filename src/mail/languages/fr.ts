// French.

import type { MailLanguage } from '../mails.ts';

/** The last lines of mails to customers. */
const STOP = [
  'Vous recevez ce message parce que vous avez payé {company} par {host}. Pour ne plus recevoir de messages de {company} :',
  '{unsubscribe}',
];

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
  INVITATION_TO_REGISTER: {
    subject: 'Une invitation à {host}',
    lines: [
      'L’exploitant de {host} vous invite à y ouvrir un compte pour encaisser des paiements en cryptomonnaies avec Turnpike.',
      'Inscrivez-vous dans les sept jours :',
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
  VERIFY_EMAIL: {
    subject: 'Confirmez votre adresse e-mail',
    lines: ['Confirmez sous 24 heures que {email} est à vous, sur {host} :', '{link}'],
  },
  SIGN_IN_CODE: {
    subject: '{code} est votre code',
    lines: [
      'Pour vous connecter à {host}, saisissez {code}. Si vous n’avez pas essayé de vous connecter, choisissez un nouveau mot de passe.',
    ],
  },
  EMAIL_CHANGED: {
    subject: 'Votre adresse e-mail a été changée',
    lines: [
      'L’adresse e-mail de votre compte sur {host} est maintenant {address}. Si ce n’était pas vous, reprenez-la sous sept jours ; toutes les sessions prennent fin alors :',
      '{link}',
    ],
  },
  FACTOR_CHANGED: {
    subject: 'Vos seconds facteurs ont été changés',
    lines: [
      'Un second facteur de {email} sur {host} a été ajouté, utilisé ou supprimé. Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe :',
      '{link}',
    ],
  },
  IDENTITY_CHANGED: {
    subject: 'Un autre moyen de connexion a été lié ou retiré',
    lines: [
      'Un compte chez un autre fournisseur, avec lequel {email} se connecte à {host}, a été lié ou retiré. Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe ; tous ces comptes seront alors déliés :',
      '{link}',
    ],
  },
  NEW_DEVICE: {
    subject: 'Connexion depuis un nouvel appareil',
    lines: [
      'Quelqu’un s’est connecté comme {email} sur {host}, depuis {address} avec {device}, à {at}. Si ce n’était pas vous, fermez cette session et choisissez tout de suite un nouveau mot de passe :',
      '{link}',
    ],
  },
  MEMBER_CHANGED: {
    subject: 'Un changement parmi les membres de {company}',
    lines: ['{by} a changé ce que {member} peut faire chez {company} :', '{link}'],
  },
  APPROVER_ADDED: {
    subject: '{member} peut approuver les paiements sortants de {company}',
    lines: [
      '{by} a donné à {member} le droit d’approuver les paiements sortants de {company}. Il vaut à partir de {from} :',
      '{link}',
    ],
  },
  KEY_WITH_WITHDRAW: {
    subject: 'Une clé de {company} qui peut retirer',
    lines: ['{by} a créé ou changé la clé « {key} » de {company}, qui peut retirer de l’argent :', '{link}'],
  },
  WEBHOOK_OFF: {
    subject: 'Un webhook de {company} a été désactivé',
    lines: [
      '{url} échoue depuis si longtemps que {company} n’y envoie plus rien. Réparez-le et réactivez-le :',
      '{link}',
    ],
  },
  PAYOUT_AWAITING: {
    subject: '{company} : un paiement attend une approbation',
    lines: ['{by} demande à payer {amount} à {address}. Approuvez ou refusez :', '{link}'],
  },
  PAYOUT_FAILED: {
    subject: '{company} : un paiement a échoué',
    lines: ['Le paiement {id} de {amount} a échoué. Son argent est de nouveau disponible :', '{link}'],
  },
  PAYOUT_REJECTED: {
    subject: '{company} : un paiement a été refusé',
    lines: ['Le paiement {id} de {amount} a été refusé : {reason}. Son argent est de nouveau disponible :', '{link}'],
  },
  ADDRESS_ADDED: {
    subject: '{company} : une nouvelle adresse de paiement',
    lines: [
      '{by} a ajouté {address} ({network}) au carnet de {company}. On peut y payer à partir de {from} :',
      '{link}',
    ],
  },
  POLICY_LOOSENED: {
    subject: '{company} : les règles de paiement s’assouplissent',
    lines: [
      '{by} a assoupli les règles de paiement de {company}. Le changement vaut à partir de {from} et peut être annulé d’ici là :',
      '{link}',
    ],
  },
  SETTLEMENT_SKIPPED: {
    subject: '{company} : un règlement a été omis',
    lines: ['Le règlement {id} n’a rien payé cette fois : {reason} :', '{link}'],
  },
  PAYOUT_STUCK: {
    subject: 'Un paiement sur {network} est bloqué',
    lines: [
      'Le paiement {id} de {amount} est ouvert depuis {since}. Bloqués sur {network} : {count}. Voyez ce qui le retient :',
      '{link}',
    ],
  },
  GAS_LOW: {
    subject: 'Le portefeuille de gaz sur {network} est presque vide',
    lines: [
      'Le portefeuille de gaz {address} sur {network} contient {amount} ; un paiement peut coûter {needed}. Bientôt des paiements attendront. Approvisionnez-le :',
      '{link}',
    ],
  },
  SUSPENSE_FOUND: {
    subject: 'Un écart inexpliqué sur {network}',
    lines: [
      'Sur {network}, la chaîne et le livre diffèrent de {amount}. Le montant reste en attente jusqu’à ce que vous l’expliquiez :',
      '{link}',
    ],
  },
  ACTION_PENDING: {
    subject: '{amount} : une action attend un autre exploitant',
    lines: ['{by} demande {action} pour {amount} : {reason}. Approuvez ou refusez dans les 72 heures :', '{link}'],
  },
  RECEIPT: {
    subject: '{company} : votre paiement est arrivé',
    lines: ['{company} a reçu {amount} pour {about}.', '{link}', 'Pour toute question, écrivez à {contact}.', ...STOP],
  },
  UNDERPAID: {
    subject: '{company} : il manque encore {rest}',
    lines: [
      '{company} a reçu {amount} pour {about}. Il manque encore {rest}. Tant qu’il reste du temps, envoyez ce montant à la même adresse :',
      '{link}',
      'Pour toute question, écrivez à {contact}.',
      ...STOP,
    ],
  },
  UNDERPAID_ENDED: {
    subject: '{company} : votre paiement n’était pas complet',
    lines: [
      '{company} a reçu {amount} pour {about}, ce qui est trop peu, et le délai de paiement est passé. N’envoyez plus rien. Écrivez à {contact} pour que le paiement soit accepté ou l’argent renvoyé.',
      '{link}',
      ...STOP,
    ],
  },
  REFUND_SENT: {
    subject: '{company} vous a renvoyé de l’argent',
    lines: [
      '{company} a renvoyé {amount} pour {about}, à {address}.',
      '{link}',
      'Pour toute question, écrivez à {contact}.',
      ...STOP,
    ],
  },
};
