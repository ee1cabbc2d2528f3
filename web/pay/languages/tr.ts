// Turkish. No suffix follows a placeholder, because the right suffix would depend on the value.

import type { Messages } from './en.ts';

export const tr: Messages = {
  language: 'Dil',
  testPayment: 'Deneme ödemesi: gerçek para değil',
  order: 'Sipariş {order}',

  labelSend: 'Tam olarak gönderin',
  labelDue: 'Kalan tutar',
  labelAmount: 'Tutar',
  labelPaid: 'Ödendi',
  labelReceived: 'Alınan',
  onNetwork: '{network} ağında',
  timeLeft: 'Kalan süre',
  underAMinute: 'bir dakikadan az',
  confirmations: 'Onay: {count} / {required}',

  pendingHeading: 'Ödemeniz bekleniyor',
  pendingText: 'Kodu cüzdanınızla tarayın ya da adresi ve tutarı kopyalayın. Bu sayfa kendiliğinden yenilenir.',
  partHeading: 'Tutarın bir kısmı ulaştı',
  partText: 'Görülen: {received}. Lütfen kalan {due} tutarını aynı adrese gönderin.',
  confirmingHeading: 'Ödeme görüldü',
  confirmingText:
    '{received} yolda ve {network} ağında onaylanıyor. Yapmanız gereken başka bir şey yok; bu sayfayı kapatabilirsiniz.',
  lapsedHeading: 'Süre doldu',
  lapsedText: 'Lütfen şimdi bir şey göndermeyin. Ödeme yaptıysanız bu sayfayı açık bırakın: hâlâ kontrol ediyoruz.',
  lapsedSeen: 'Şu ana kadar görülen: {received}.',

  succeededHeading: 'Ödeme tamamlandı',
  succeededText: 'Teşekkürler. {company} ödemenizi aldı.',
  overpaidText: 'Teşekkürler. {received} gönderdiniz; istenen tutar {amount} idi.',
  overpaidStep: 'Farkı geri almak için {company} ile iletişime geçin ve şu referansı verin: {reference}.',
  lateText: 'Teşekkürler. Ödemeniz geç ulaştı ve {company} kabul etti.',
  partlyRefundedHeading: 'Kısmen iade edildi',
  partlyRefundedText: 'Ödeme tamamlanmıştı, {company} bir kısmını geri gönderdi.',
  refundedHeading: 'İade edildi',
  refundedText: 'Ödeme tamamlanmıştı, {company} parayı geri gönderdi.',
  refundStep: 'İadeyle ilgili sorularınız için {company} ile iletişime geçin ve şu referansı verin: {reference}.',

  failedHeading: 'Ödeme tamamlanmadı',
  underpaidText: 'Süre, tutarın tamamı ulaşmadan doldu. İstenen: {amount}, ulaşan: {received}.',
  underpaidStep:
    'Ödemeyi tamamlamak ya da paranızı geri almak için {company} ile iletişime geçin ve şu referansı verin: {reference}.',
  unconfirmedText:
    'Transferiniz görüldü, ancak {network} ağında zamanında onaylanmadı. Hâlâ onaylanabilir; o zaman bu sayfada yazar.',
  unconfirmedStep: 'Cüzdanınızda transfere bakın. İkinci kez göndermeyin.',
  reorgedText: 'Transferiniz onaylandıktan sonra {network} ağından çıkarıldı. Bu nadir olur ve sizin hatanız değildir.',
  reorgedStep: 'Yeniden ödemeden önce cüzdanınızda transfere bakın.',
  helpStep: 'Yardım için {company} ile iletişime geçin ve şu referansı verin: {reference}.',
  doNotSend: 'Lütfen bu adrese artık bir şey göndermeyin.',

  expiredHeading: 'Bu ödemenin süresi doldu',
  expiredText: 'Ödeme süresi sona erdi.',
  canceledHeading: 'Bu ödeme iptal edildi',
  canceledText: '{company} bu ödemeyi iptal etti.',
  arrivedAfterwards: 'Sonrasında ulaşan: {received}.',
  notLostStep: 'Paranız kaybolmadı: {company} ile iletişime geçin ve şu referansı verin: {reference}.',
  startAgainStep: 'Ödemek için {company} sitesine dönüp yeniden başlayın: yeni bir adres alacaksınız.',
  alreadyPaidStep: 'Ödeme yaptıysanız {company} ile iletişime geçin ve şu referansı verin: {reference}.',

  whatYouCanDo: 'Ne yapabilirsiniz',
  howToPay: 'Nasıl ödenir',
  qrLabel: '{network} ağında {amount} ödemek için QR kodu',
  openInWallet: 'Cüzdanda aç',
  addressLabel: '{network} ağındaki adres',
  exactAmount: 'Tam tutar',
  warning:
    'Yalnızca {currency} gönderin ve yalnızca {network} ağını kullanın. Bu adrese gönderilen başka her şey kaybolabilir. Ağ ücretleri tutara eklenir.',
  severalNetworks: '{currency} birden çok ağda bulunur: cüzdanınızda ya da borsanızda {network} seçin.',
  copy: 'Kopyala',
  copyAddress: 'Adresi kopyala',
  copyAmount: 'Tutarı kopyala',
  copied: 'Kopyalandı',
  selected: 'Seçildi',
  returnTo: 'Geri dön: {host}',

  helpSummary: 'Bir sorun mu var?',
  tooLittle: 'Eksik gönderdim',
  tooLittleText: 'Süre varken kalan tutarı aynı adrese gönderin; iki transfer de bir transfer kadar geçerlidir.',
  tooLate: 'Geç ya da fazla gönderdim',
  tooLateText:
    'Para {company} hesabına ulaştı ve kaybolmadı. Ödemeyi tamamlamalarını ya da geri göndermelerini isteyin.',
  wrongNetwork: 'Başka bir ağ ya da başka bir para kullandım',
  wrongNetworkText: 'Yeniden göndermeyin. Geri alınıp alınamayacağını yalnızca {company} söyleyebilir.',
  helpReference:
    'Her durumda {company} ile iletişime geçip aşağıdaki referansı ve cüzdanınızdaki işlem kimliğini verin.',
  reference: 'Ödeme referansı',
  offline: 'Bağlantı koptu. Gördükleriniz güncel olmayabilir; bağlantı gelir gelmez güncellenecek.',

  notFoundHeading: 'Böyle bir ödeme yok',
  notFoundText: 'Bu sayfanın adresi eksik olabilir. Size verilen bağlantıyı yeniden açın ya da mağazaya dönün.',
  errorHeading: 'Bu sayfa şu anda gösterilemiyor',
  errorText: 'Ödeme yaptıysanız ödemeniz kaybolmadı. Lütfen bir dakika sonra sayfayı yeniden yükleyin.',
  errorReference: 'Devam ederse mağazaya şu referansı verin: {reference}',
};
