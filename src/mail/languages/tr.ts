// Turkish.

import type { MailLanguage } from '../mails.ts';

export const tr: MailLanguage = {
  INVITATION: {
    subject: '{company} sizi Turnpike’a davet ediyor',
    lines: [
      '{company} sizi {host} üzerindeki hesabına davet ediyor.',
      'Daveti yedi gün içinde kabul edin:',
      '{link}',
      'Bu iletiyi beklemiyorsanız bir şey yapmanız gerekmez.',
    ],
  },
  RESET_PASSWORD: {
    subject: 'Yeni bir parola seçin',
    lines: [
      '{host} üzerinde {email} için yeni bir parola istendi. Bunu siz istediyseniz 30 dakika içinde bir parola seçin:',
      '{link}',
      'O zaman bütün oturumlarınız kapanır. Siz istemediyseniz bir şey yapmayın: parolanız olduğu gibi kalır.',
    ],
  },
  PASSWORD_CHANGED: {
    subject: 'Parolanız değiştirildi',
    lines: [
      '{host} üzerindeki {email} hesabının parolası değiştirildi ve diğer oturumlarınız kapatıldı.',
      'Bunu siz yapmadıysanız hemen yeni bir parola seçin ve {host} yöneticisine haber verin:',
      '{link}',
    ],
  },
};
