// French.

import type { Messages } from './en.ts';

export const fr: Messages = {
  language: 'Langue',
  testPayment: 'Paiement d’essai : sans argent réel',
  order: 'Commande {order}',

  labelSend: 'Envoyez exactement',
  labelDue: 'Reste à payer',
  labelAmount: 'Montant',
  labelPaid: 'Payé',
  labelReceived: 'Reçu',
  onNetwork: 'sur {network}',
  timeLeft: 'Temps restant',
  underAMinute: 'moins d’une minute',
  confirmations: 'Confirmations : {count} sur {required}',

  pendingHeading: 'En attente de votre paiement',
  pendingText:
    'Scannez le code avec votre portefeuille, ou copiez l’adresse et le montant. Cette page se met à jour d’elle-même.',
  partHeading: 'Une partie du montant est arrivée',
  partText: 'Nous avons vu {received}. Veuillez envoyer les {due} restants à la même adresse.',
  confirmingHeading: 'Paiement repéré',
  confirmingText:
    '{received} est en route et {network} le confirme. Vous n’avez plus rien à faire ; vous pouvez fermer cette page.',
  lapsedHeading: 'Le temps est écoulé',
  lapsedText:
    'Veuillez ne rien envoyer maintenant. Si vous avez déjà payé, laissez cette page ouverte : nous vérifions encore.',
  lapsedSeen: 'Jusqu’ici, nous avons vu {received}.',

  succeededHeading: 'Paiement effectué',
  succeededText: 'Merci. {company} a reçu votre paiement.',
  overpaidText: 'Merci. Vous avez envoyé {received}, soit plus que les {amount} demandés.',
  overpaidStep: 'Pour récupérer la différence, contactez {company} en indiquant {reference}.',
  lateText: 'Merci. Votre paiement est arrivé en retard, et {company} l’a accepté.',
  partlyRefundedHeading: 'Remboursé en partie',
  partlyRefundedText: 'Le paiement a été effectué, et {company} en a renvoyé une partie.',
  refundedHeading: 'Remboursé',
  refundedText: 'Le paiement a été effectué, et {company} a renvoyé l’argent.',
  refundStep: 'Pour toute question sur le remboursement, contactez {company} en indiquant {reference}.',

  failedHeading: 'Le paiement n’a pas abouti',
  underpaidText: 'Le délai s’est écoulé avant l’arrivée du montant complet : nous avons reçu {received} sur {amount}.',
  underpaidStep: 'Pour terminer le paiement ou récupérer votre argent, contactez {company} en indiquant {reference}.',
  unconfirmedText:
    'Votre transfert a été vu, mais {network} ne l’a pas confirmé à temps. Il peut encore l’être ; cette page le dira alors.',
  unconfirmedStep: 'Regardez le transfert dans votre portefeuille. Ne l’envoyez pas une seconde fois.',
  reorgedText: '{network} a retiré votre transfert après l’avoir confirmé. C’est rare, et ce n’est pas votre faute.',
  reorgedStep: 'Regardez le transfert dans votre portefeuille avant de payer à nouveau.',
  helpStep: 'Pour obtenir de l’aide, contactez {company} en indiquant {reference}.',
  doNotSend: 'Veuillez ne plus rien envoyer à cette adresse.',

  expiredHeading: 'Ce paiement a expiré',
  expiredText: 'Le délai de paiement est écoulé.',
  canceledHeading: 'Ce paiement a été annulé',
  canceledText: '{company} a annulé ce paiement.',
  arrivedAfterwards: 'Nous avons reçu {received} par la suite.',
  notLostStep: 'Votre argent n’est pas perdu : contactez {company} en indiquant {reference}.',
  startAgainStep: 'Pour payer, retournez chez {company} et recommencez : vous recevrez une nouvelle adresse.',
  alreadyPaidStep: 'Si vous avez déjà payé, contactez {company} en indiquant {reference}.',

  chooseHeading: 'Choisissez une monnaie pour payer',
  chooseText: 'Son cours est alors fixé pour un moment, et vous recevez une adresse où payer.',
  chooseRestText: 'Nous avons vu {received}. Choisissez une monnaie pour les {due} restants.',
  networkHeading: 'Choisissez le réseau',
  networkText: 'Prenez celui par lequel votre portefeuille ou votre plateforme envoie des {coin}.',
  noCoinHeading: 'Aucune monnaie ne peut être choisie pour le moment',
  noCoinText: 'Il n’y a actuellement aucune monnaie pour {due}. Cette page se met à jour d’elle-même.',
  restText: 'Nous avons vu {received}. Veuillez envoyer exactement {coins} pour les {due} restants.',
  newRateHeading: 'Le cours n’est plus valable',
  newRateText: 'Demandez un nouveau cours pour {due} : vous verrez de nouveau l’adresse et le montant.',
  newRestText:
    'Nous avons vu {received}. Demandez un nouveau cours pour les {due} restants : vous verrez l’adresse et le montant.',
  alreadySent: 'Déjà envoyé ? Cela compte toujours, au cours du jour s’il est plus bas : laissez cette page ouverte.',
  takeNewRate: 'Demander un nouveau cours',
  processingText:
    '{received} est en route et en cours de confirmation. Vous n’avez plus rien à faire ; vous pouvez fermer cette page.',
  anotherCoin: 'Payer avec une autre monnaie',
  backToCoin: 'Revenir au paiement en {coin}',
  rateHolds: 'Cours valable encore',
  forPrice: 'pour {price}',
  about: 'environ {amount}',
  onSeveralNetworks: 'sur plusieurs réseaux',
  feeLowest: 'frais les plus bas',
  feeMedium: 'frais moyens',
  feeHigh: 'frais élevés',
  noRate: 'Il n’y a pas de cours pour cette monnaie en ce moment.',
  noNode: 'Ce réseau n’est pas disponible en ce moment.',
  belowMinimum: 'Le montant est trop petit pour cette monnaie.',
  aboveMaximum: 'Le montant est trop grand pour cette monnaie.',
  refusedHeading: 'Ce choix n’a pas pu être fait',
  notAccepted: 'Cette monnaie n’est pas acceptée ici.',
  takesNoMore: 'Plus rien ne peut être choisi : c’est payé, ou le temps est écoulé.',
  tooManyChoices: 'Trop de cours ont été demandés. Payez avec l’un de ceux qui valent encore, ou revenez demain.',
  tooManyCalls: 'Trop de demandes sont venues de votre réseau. Veuillez réessayer dans une minute.',
  backToPayment: 'Revenir au paiement',

  whatYouCanDo: 'Ce que vous pouvez faire',
  howToPay: 'Comment payer',
  qrLabel: 'Code QR pour payer {amount} sur {network}',
  openInWallet: 'Ouvrir dans le portefeuille',
  addressLabel: 'Adresse sur {network}',
  exactAmount: 'Montant exact',
  warning:
    'Envoyez uniquement des {currency}, et uniquement sur {network}. Tout autre envoi à cette adresse peut être perdu. Les frais de réseau s’ajoutent au montant.',
  severalNetworks:
    '{currency} existe sur plusieurs réseaux : choisissez {network} dans votre portefeuille ou sur votre plateforme.',
  copy: 'Copier',
  copyAddress: 'Copier l’adresse',
  copyAmount: 'Copier le montant',
  copied: 'Copié',
  selected: 'Marqué',
  returnTo: 'Retourner sur {host}',

  helpSummary: 'Un problème ?',
  tooLittle: 'J’ai envoyé trop peu',
  tooLittleText:
    'Tant qu’il reste du temps, envoyez ce qui manque à la même adresse ; deux transferts valent autant qu’un seul.',
  tooLate: 'J’ai envoyé trop tard, ou trop',
  tooLateText:
    'L’argent est arrivé chez {company} et n’est pas perdu. Demandez que le paiement soit terminé ou l’argent renvoyé.',
  wrongNetwork: 'J’ai utilisé un autre réseau ou une autre monnaie',
  wrongNetworkText: 'N’envoyez pas une seconde fois. Seul {company} peut dire si c’est récupérable.',
  helpReference:
    'Dans tous les cas, donnez à {company} la référence ci-dessous et l’identifiant de la transaction affiché par votre portefeuille.',
  reference: 'Référence du paiement',
  offline:
    'La connexion est perdue. Ce que vous voyez n’est peut-être plus à jour ; tout sera actualisé dès son retour.',

  notFoundHeading: 'Ce paiement n’existe pas',
  notFoundText:
    'L’adresse de cette page est peut-être incomplète. Ouvrez à nouveau le lien reçu, ou retournez à la boutique.',
  errorHeading: 'Cette page ne peut pas être affichée pour le moment',
  errorText: 'Si vous avez payé, votre paiement n’est pas perdu. Veuillez recharger la page dans une minute.',
  errorReference: 'Si cela continue, donnez cette référence à la boutique : {reference}',
};
