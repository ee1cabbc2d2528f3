// Portuguese.

import type { MailLanguage } from '../mails.ts';

/** The last lines of mails to customers. */
const STOP = [
  'Você recebe esta mensagem porque pagou a {company} por meio de {host}. Para não receber mais mensagens de {company}:',
  '{unsubscribe}',
];

export const pt: MailLanguage = {
  INVITATION: {
    subject: '{company} convida você para o Turnpike',
    lines: [
      '{company} convida você para a conta em {host}.',
      'Aceite o convite em até sete dias:',
      '{link}',
      'Se você não esperava esta mensagem, não faça nada.',
    ],
  },
  INVITATION_TO_REGISTER: {
    subject: 'Um convite para {host}',
    lines: [
      'O operador de {host} convida você a abrir uma conta ali e receber pagamentos em criptomoedas com o Turnpike.',
      'Cadastre-se em até sete dias:',
      '{link}',
      'Se você não esperava esta mensagem, não faça nada.',
    ],
  },
  RESET_PASSWORD: {
    subject: 'Escolha uma nova senha',
    lines: [
      'Alguém pediu uma nova senha para {email} em {host}. Se foi você, escolha-a em até 30 minutos:',
      '{link}',
      'Todas as suas sessões serão encerradas. Se não foi você, não faça nada: sua senha continua a mesma.',
    ],
  },
  PASSWORD_CHANGED: {
    subject: 'Sua senha foi alterada',
    lines: [
      'A senha de {email} em {host} foi alterada e suas outras sessões foram encerradas.',
      'Se não foi você, escolha outra imediatamente e avise quem administra {host}:',
      '{link}',
    ],
  },
  VERIFY_EMAIL: {
    subject: 'Confirme o seu endereço de e-mail',
    lines: ['Confirme em 24 horas que {email} é seu, em {host}:', '{link}'],
  },
  SIGN_IN_CODE: {
    subject: '{code} é o seu código',
    lines: ['Para entrar em {host}, digite {code}. Se não tentou entrar, escolha uma nova senha.'],
  },
  EMAIL_CHANGED: {
    subject: 'O seu endereço de e-mail foi alterado',
    lines: [
      'O endereço de e-mail da sua conta em {host} é agora {address}. Se não foi você, recupere-o em sete dias; todas as sessões terminam então:',
      '{link}',
    ],
  },
  FACTOR_CHANGED: {
    subject: 'Os seus segundos fatores foram alterados',
    lines: [
      'Um segundo fator de {email} em {host} foi adicionado, usado ou removido. Se não foi você, escolha já uma nova senha:',
      '{link}',
    ],
  },
  IDENTITY_CHANGED: {
    subject: 'Outra forma de entrar foi vinculada ou removida',
    lines: [
      'Uma conta em outro provedor, com a qual {email} entra em {host}, foi vinculada ou removida. Se não foi você, escolha já uma nova senha; isso desvincula todas essas contas:',
      '{link}',
    ],
  },
  NEW_DEVICE: {
    subject: 'Entrada a partir de um novo dispositivo',
    lines: [
      'Alguém entrou como {email} em {host}, a partir de {address} com {device}, às {at}. Se não foi você, encerre essa sessão e escolha já uma nova senha:',
      '{link}',
    ],
  },
  MEMBER_CHANGED: {
    subject: 'Uma mudança de membros em {company}',
    lines: ['{by} alterou o que {member} pode fazer em {company}:', '{link}'],
  },
  APPROVER_ADDED: {
    subject: '{member} pode aprovar pagamentos de {company}',
    lines: [
      '{by} deu a {member} o direito de aprovar pagamentos de saída de {company}. Vale a partir de {from}:',
      '{link}',
    ],
  },
  KEY_WITH_WITHDRAW: {
    subject: 'Uma chave de {company} que pode sacar',
    lines: ['{by} criou ou alterou a chave "{key}" de {company}, que pode sacar dinheiro:', '{link}'],
  },
  WEBHOOK_OFF: {
    subject: 'Um webhook de {company} foi desligado',
    lines: [
      '{url} falhou por tanto tempo que {company} não envia mais nada para lá. Corrija-o e ligue-o de novo:',
      '{link}',
    ],
  },
  PAYOUT_AWAITING: {
    subject: '{company}: um pagamento aguarda aprovação',
    lines: ['{by} pediu para pagar {amount} a {address}. Aprove ou rejeite:', '{link}'],
  },
  PAYOUT_FAILED: {
    subject: '{company}: um pagamento falhou',
    lines: ['O pagamento {id} de {amount} falhou. O dinheiro está de novo disponível:', '{link}'],
  },
  PAYOUT_REJECTED: {
    subject: '{company}: um pagamento foi rejeitado',
    lines: ['O pagamento {id} de {amount} foi rejeitado: {reason}. O dinheiro está de novo disponível:', '{link}'],
  },
  ADDRESS_ADDED: {
    subject: '{company}: um novo endereço para pagamentos',
    lines: ['{by} adicionou {address} ({network}) ao livro de {company}. Pode receber a partir de {from}:', '{link}'],
  },
  POLICY_LOOSENED: {
    subject: '{company}: as regras de pagamento ficam mais brandas',
    lines: [
      '{by} afrouxou as regras de pagamento de {company}. A mudança vale a partir de {from} e pode ser cancelada até lá:',
      '{link}',
    ],
  },
  SETTLEMENT_SKIPPED: {
    subject: '{company}: uma liquidação foi omitida',
    lines: ['A liquidação {id} não pagou nada desta vez: {reason}:', '{link}'],
  },
  PAYOUT_STUCK: {
    subject: 'Um pagamento em {network} está parado',
    lines: [
      'O pagamento {id} de {amount} está aberto desde {since}. Parados em {network}: {count}. Veja o que o retém:',
      '{link}',
    ],
  },
  GAS_LOW: {
    subject: 'A carteira de gás em {network} está quase vazia',
    lines: [
      'A carteira de gás {address} em {network} tem {amount}; um pagamento pode custar {needed}. Em breve pagamentos vão esperar. Envie fundos a ela:',
      '{link}',
    ],
  },
  SUSPENSE_FOUND: {
    subject: 'Valor sem explicação em {network}',
    lines: [
      'Em {network} a cadeia e o livro diferem em {amount}. O valor fica em suspenso até que você o explique:',
      '{link}',
    ],
  },
  ACTION_PENDING: {
    subject: '{amount}: uma ação aguarda outro operador',
    lines: ['{by} pede {action} de {amount}: {reason}. Aprove ou rejeite em até 72 horas:', '{link}'],
  },
  RECEIPT: {
    subject: '{company}: seu pagamento chegou',
    lines: [
      '{company} recebeu {amount} por {about}.',
      '{link}',
      'Se tiver alguma dúvida, escreva para {contact}.',
      ...STOP,
    ],
  },
  UNDERPAID: {
    subject: '{company}: ainda faltam {rest}',
    lines: [
      '{company} recebeu {amount} por {about}. Ainda faltam {rest}. Enquanto houver tempo, envie esse valor para o mesmo endereço:',
      '{link}',
      'Se tiver alguma dúvida, escreva para {contact}.',
      ...STOP,
    ],
  },
  UNDERPAID_ENDED: {
    subject: '{company}: seu pagamento não estava completo',
    lines: [
      '{company} recebeu {amount} por {about}, o que é pouco, e o prazo para pagar terminou. Não envie mais nada. Escreva para {contact}: o pagamento pode ser aceito ou o dinheiro devolvido.',
      '{link}',
      ...STOP,
    ],
  },
  REFUND_SENT: {
    subject: '{company} devolveu dinheiro a você',
    lines: [
      '{company} devolveu {amount} por {about}, para {address}.',
      '{link}',
      'Se tiver alguma dúvida, escreva para {contact}.',
      ...STOP,
    ],
  },
};
