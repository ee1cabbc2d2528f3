// Portuguese.

import type { MailLanguage } from '../mails.ts';

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
};
