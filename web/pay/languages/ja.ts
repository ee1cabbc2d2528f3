// Japanese.

import type { Messages } from './en.ts';

export const ja: Messages = {
  language: '言語',
  testPayment: 'テスト決済：実際のお金は動きません',
  order: 'ご注文 {order}',

  labelSend: 'ちょうどこの金額を送ってください',
  labelDue: '未払い額',
  labelAmount: '金額',
  labelPaid: 'お支払い済み',
  labelReceived: '受取額',
  onNetwork: 'ネットワーク：{network}',
  timeLeft: '残り時間',
  underAMinute: '1分未満',
  confirmations: '承認数：{count} / {required}',

  pendingHeading: 'お支払いをお待ちしています',
  pendingText: 'ウォレットでコードを読み取るか、アドレスと金額をコピーしてください。このページは自動的に更新されます。',
  partHeading: '金額の一部が届きました',
  partText: '{received} を確認しました。残りの {due} を同じアドレスに送ってください。',
  confirmingHeading: 'お支払いを確認しました',
  confirmingText:
    '{received} が送金中で、{network} が承認しています。これ以上の操作は必要ありません。このページを閉じてもかまいません。',
  lapsedHeading: '時間になりました',
  lapsedText:
    '今は何も送らないでください。すでにお支払いの場合は、このページを開いたままにしてください。まだ確認中です。',
  lapsedSeen: 'これまでに {received} を確認しました。',

  succeededHeading: 'お支払いが完了しました',
  succeededText: 'ありがとうございます。{company} がお支払いを受け取りました。',
  overpaidText: 'ありがとうございます。{received} が届きました。ご請求の {amount} を上回っています。',
  overpaidStep: '差額の返金については、{company} に {reference} を伝えてお問い合わせください。',
  lateText: 'ありがとうございます。お支払いは遅れて届きましたが、{company} が受け入れました。',
  partlyRefundedHeading: '一部返金されました',
  partlyRefundedText: 'お支払いは完了し、{company} がその一部を返金しました。',
  refundedHeading: '返金されました',
  refundedText: 'お支払いは完了し、{company} が全額を返金しました。',
  refundStep: '返金についてのご質問は、{company} に {reference} を伝えてお問い合わせください。',

  failedHeading: 'お支払いは完了しませんでした',
  underpaidText: '時間内に届いたのは {amount} のうち {received} でした。',
  underpaidStep: 'お支払いの完了や返金については、{company} に {reference} を伝えてお問い合わせください。',
  unconfirmedText:
    '送金は確認されましたが、{network} での承認が間に合いませんでした。後から承認されることもあり、その場合はこのページでお知らせします。',
  unconfirmedStep: 'ウォレットで送金の状況をご確認ください。もう一度送らないでください。',
  reorgedText: '承認された送金が、その後 {network} から取り除かれました。まれなことで、お客様の責任ではありません。',
  reorgedStep: 'もう一度支払う前に、ウォレットで送金の状況をご確認ください。',
  helpStep: 'お困りのときは、{company} に {reference} を伝えてお問い合わせください。',
  doNotSend: 'このアドレスには、もう何も送らないでください。',

  expiredHeading: 'このお支払いは期限切れです',
  expiredText: 'お支払いの期限が過ぎました。',
  canceledHeading: 'このお支払いは取り消されました',
  canceledText: '{company} がこのお支払いを取り消しました。',
  arrivedAfterwards: 'その後、{received} が届きました。',
  notLostStep: 'お金は失われていません。{company} に {reference} を伝えてお問い合わせください。',
  startAgainStep: 'お支払いになるには、{company} に戻ってやり直してください。新しいアドレスが発行されます。',
  alreadyPaidStep: 'すでにお支払いの場合は、{company} に {reference} を伝えてお問い合わせください。',

  whatYouCanDo: 'できること',
  howToPay: 'お支払い方法',
  qrLabel: '{network} で {amount} を支払うためのQRコード',
  openInWallet: 'ウォレットで開く',
  addressLabel: '{network} のアドレス',
  exactAmount: '正確な金額',
  warning:
    '{currency} だけを、{network} だけで送ってください。それ以外のものをこのアドレスに送ると、失われることがあります。ネットワーク手数料は別途かかります。',
  copy: 'コピー',
  copyAddress: 'アドレスをコピー',
  copyAmount: '金額をコピー',
  copied: 'コピー済み',
  selected: '選択済み',
  returnTo: '{host} に戻る',

  helpSummary: 'お困りですか？',
  tooLittle: '送った金額が足りない',
  tooLittleText: '時間が残っていれば、不足分を同じアドレスに送ってください。2回に分かれても問題ありません。',
  tooLate: '送るのが遅れた、または送りすぎた',
  tooLateText: 'お金は {company} に届いており、失われていません。お支払いの完了または返金を依頼してください。',
  wrongNetwork: '別のネットワークや別の通貨で送った',
  wrongNetworkText: 'もう一度送らないでください。取り戻せるかどうかは、{company} だけが判断できます。',
  helpReference: 'いずれの場合も、下の番号とウォレットに表示される取引IDを {company} に伝えてください。',
  reference: 'お支払い番号',
  offline: '接続が切れました。表示は最新でない可能性があります。接続が戻りしだい更新されます。',

  notFoundHeading: 'このお支払いは見つかりません',
  notFoundText: 'このページのアドレスが不完全かもしれません。受け取ったリンクをもう一度開くか、お店に戻ってください。',
  errorHeading: '現在このページを表示できません',
  errorText: 'お支払い済みの場合、お金は失われていません。1分ほどしてからページを読み込み直してください。',
  errorReference: '続くようでしたら、次の番号をお店に伝えてください：{reference}',
};
