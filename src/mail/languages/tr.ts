// Turkish.

import type { MailLanguage } from '../mails.ts';

/** The last lines of mails to customers. */
const STOP = [
  'Bu postayı, {host} üzerinden {company} için ödeme yaptığınız için alıyorsunuz. {company} tarafından başka posta almamak için:',
  '{unsubscribe}',
];

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
  INVITATION_TO_REGISTER: {
    subject: '{host} için bir davet',
    lines: [
      '{host} işletmecisi sizi orada bir hesap açmaya ve Turnpike ile kripto ödemeler almaya davet ediyor.',
      'Yedi gün içinde kaydolun:',
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
  VERIFY_EMAIL: {
    subject: 'E-posta adresinizi onaylayın',
    lines: ['{host} üzerinde {email} adresinin size ait olduğunu 24 saat içinde onaylayın:', '{link}'],
  },
  SIGN_IN_CODE: {
    subject: 'Kodunuz: {code}',
    lines: [
      '{host} üzerinde oturum açmak için {code} kodunu girin. Oturum açmaya çalışmadıysanız yeni bir parola seçin.',
    ],
  },
  EMAIL_CHANGED: {
    subject: 'E-posta adresiniz değiştirildi',
    lines: [
      '{host} hesabınızın e-posta adresi artık {address}. Bunu siz yapmadıysanız yedi gün içinde geri alın; o zaman tüm oturumlar kapanır:',
      '{link}',
    ],
  },
  FACTOR_CHANGED: {
    subject: 'İkinci faktörleriniz değiştirildi',
    lines: [
      '{host} üzerinde {email} için bir ikinci faktör eklendi, kullanıldı veya kaldırıldı. Bunu siz yapmadıysanız hemen yeni bir parola seçin:',
      '{link}',
    ],
  },
  IDENTITY_CHANGED: {
    subject: 'Başka bir oturum açma yolu bağlandı veya kaldırıldı',
    lines: [
      '{host} üzerinde {email} için oturum açmaya yarayan, başka bir sağlayıcıdaki bir hesap bağlandı veya kaldırıldı. Bunu siz yapmadıysanız hemen yeni bir parola seçin; böylece bu tür hesapların tümünün bağlantısı kesilir:',
      '{link}',
    ],
  },
  NEW_DEVICE: {
    subject: 'Yeni bir cihazdan oturum açıldı',
    lines: [
      'Birisi {host} üzerinde {email} olarak {address} adresinden {device} ile oturum açtı ({at}). Bu siz değilseniz o oturumu kapatın ve hemen yeni bir parola seçin:',
      '{link}',
    ],
  },
  MEMBER_CHANGED: {
    subject: '{company} üyelerinde bir değişiklik',
    lines: ['{by}, {member} adlı kişinin {company} içinde yapabileceklerini değiştirdi:', '{link}'],
  },
  APPROVER_ADDED: {
    subject: '{member} artık {company} ödemelerini onaylayabilir',
    lines: ['{by}, {member} adlı kişiye {company} ödemelerini onaylama hakkı verdi. Başlangıç: {from}:', '{link}'],
  },
  KEY_WITH_WITHDRAW: {
    subject: '{company}: para çekebilen bir anahtar',
    lines: ['{by}, {company} için para çekebilen "{key}" anahtarını oluşturdu veya değiştirdi:', '{link}'],
  },
  WEBHOOK_OFF: {
    subject: '{company}: bir webhook kapatıldı',
    lines: [
      '{url} o kadar uzun süre yanıt vermedi ki {company} oraya artık bir şey göndermiyor. Düzeltin ve yeniden açın:',
      '{link}',
    ],
  },
  PAYOUT_AWAITING: {
    subject: '{company}: bir ödeme onay bekliyor',
    lines: ['{by}, {address} adresine {amount} ödenmesini istedi. Onaylayın veya reddedin:', '{link}'],
  },
  PAYOUT_FAILED: {
    subject: '{company}: bir ödeme başarısız oldu',
    lines: ['{amount} tutarındaki {id} ödemesi başarısız oldu. Parası yeniden kullanılabilir:', '{link}'],
  },
  PAYOUT_REJECTED: {
    subject: '{company}: bir ödeme reddedildi',
    lines: ['{amount} tutarındaki {id} ödemesi reddedildi: {reason}. Parası yeniden kullanılabilir:', '{link}'],
  },
  ADDRESS_ADDED: {
    subject: '{company}: ödemeler için yeni bir adres',
    lines: [
      '{by}, {company} defterine {address} ({network}) adresini ekledi. Oraya ödeme yapılabilecek zaman: {from}:',
      '{link}',
    ],
  },
  POLICY_LOOSENED: {
    subject: '{company}: ödeme kuralları gevşetiliyor',
    lines: [
      '{by}, {company} ödeme kurallarını gevşetti. Değişiklik {from} itibarıyla geçerlidir ve o zamana kadar iptal edilebilir:',
      '{link}',
    ],
  },
  SETTLEMENT_SKIPPED: {
    subject: '{company}: bir mahsup atlandı',
    lines: ['{id} mahsubu bu kez hiçbir şey ödemedi: {reason}:', '{link}'],
  },
  PAYOUT_STUCK: {
    subject: '{network} üzerinde bir ödeme takıldı',
    lines: [
      '{amount} tutarındaki {id} ödemesi {since} tarihinden beri açık. {network} üzerinde takılanlar: {count}. Neyin beklettiğine bakın:',
      '{link}',
    ],
  },
  GAS_LOW: {
    subject: '{network} üzerindeki gaz cüzdanı boşalıyor',
    lines: [
      '{network} üzerindeki {address} gaz cüzdanında {amount} var; bir ödeme {needed} tutabilir. Yakında ödemeler bekleyecek. Cüzdana para gönderin:',
      '{link}',
    ],
  },
  SUSPENSE_FOUND: {
    subject: '{network} üzerinde açıklanamayan tutar',
    lines: [
      '{network} üzerinde zincir ile defter arasında {amount} fark var. Siz açıklayana kadar askıda kalır:',
      '{link}',
    ],
  },
  ACTION_PENDING: {
    subject: '{amount}: bir işlem başka bir işletmeciyi bekliyor',
    lines: ['{by}, {amount} için {action} istiyor: {reason}. 72 saat içinde onaylayın veya reddedin:', '{link}'],
  },
  RECEIPT: {
    subject: '{company}: ödemeniz ulaştı',
    lines: ['{company}, {about} için {amount} aldı.', '{link}', 'Sorunuz varsa {contact} adresine yazın.', ...STOP],
  },
  UNDERPAID: {
    subject: '{company}: {rest} daha gerekiyor',
    lines: [
      '{company}, {about} için {amount} aldı. {rest} daha gerekiyor. Süre dolmadan aynı adrese gönderin:',
      '{link}',
      'Sorunuz varsa {contact} adresine yazın.',
      ...STOP,
    ],
  },
  UNDERPAID_ENDED: {
    subject: '{company}: ödemeniz tamamlanmadı',
    lines: [
      '{company}, {about} için {amount} aldı; bu yeterli değil ve ödeme süresi doldu. Başka para göndermeyin. {contact} adresine yazın: ödeme kabul edilebilir ya da para geri gönderilebilir.',
      '{link}',
      ...STOP,
    ],
  },
  REFUND_SENT: {
    subject: '{company} size para geri gönderdi',
    lines: [
      '{company}, {about} için {amount} tutarını {address} adresine geri gönderdi.',
      '{link}',
      'Sorunuz varsa {contact} adresine yazın.',
      ...STOP,
    ],
  },
};
