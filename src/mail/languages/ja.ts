// Japanese.

import type { MailLanguage } from '../mails.ts';

/** The last lines of mails to customers. */
const STOP = [
  '{host} で {company} にお支払いいただいたため、このメールをお送りしています。{company} からのメールを停止するには：',
  '{unsubscribe}',
];

export const ja: MailLanguage = {
  INVITATION: {
    subject: '{company} から Turnpike への招待',
    lines: [
      '{company} が {host} のアカウントにあなたを招待しています。',
      '7 日以内に承諾してください：',
      '{link}',
      'お心当たりがない場合は、何もする必要はありません。',
    ],
  },
  INVITATION_TO_REGISTER: {
    subject: '{host} への招待',
    lines: [
      '{host} の運営者が、Turnpike で暗号資産の支払いを受け取るためのアカウントの開設にあなたを招待しています。',
      '7 日以内に登録してください：',
      '{link}',
      'お心当たりがない場合は、何もする必要はありません。',
    ],
  },
  RESET_PASSWORD: {
    subject: '新しいパスワードの設定',
    lines: [
      '{host} の {email} について、新しいパスワードが要求されました。ご本人の場合は、30 分以内に設定してください：',
      '{link}',
      '設定すると、すべてのセッションが終了します。お心当たりがない場合は、何もしないでください。パスワードは変わりません。',
    ],
  },
  PASSWORD_CHANGED: {
    subject: 'パスワードが変更されました',
    lines: [
      '{host} の {email} のパスワードが変更され、ほかのセッションは終了しました。',
      'お心当たりがない場合は、すぐに新しいパスワードを設定し、{host} の運営者に連絡してください：',
      '{link}',
    ],
  },
  VERIFY_EMAIL: {
    subject: 'メールアドレスの確認',
    lines: ['{host} で {email} がご本人のものであることを 24 時間以内にご確認ください:', '{link}'],
  },
  SIGN_IN_CODE: {
    subject: 'コードは {code} です',
    lines: [
      '{host} にサインインするには {code} を入力してください。お心当たりがない場合は、新しいパスワードを設定してください。',
    ],
  },
  EMAIL_CHANGED: {
    subject: 'メールアドレスが変更されました',
    lines: [
      '{host} のアカウントのメールアドレスは {address} になりました。お心当たりがない場合は、7 日以内に元に戻してください。すべてのセッションが終了します:',
      '{link}',
    ],
  },
  FACTOR_CHANGED: {
    subject: '二段階認証が変更されました',
    lines: [
      '{host} の {email} の第二要素が追加、使用、または削除されました。お心当たりがない場合は、すぐに新しいパスワードを設定してください:',
      '{link}',
    ],
  },
  IDENTITY_CHANGED: {
    subject: '別のサインイン方法が連携または解除されました',
    lines: [
      '{host} の {email} でサインインに使う、別のプロバイダーのアカウントが連携または解除されました。お心当たりがない場合は、すぐに新しいパスワードを設定してください。そうすると、このような連携はすべて解除されます:',
      '{link}',
    ],
  },
  NEW_DEVICE: {
    subject: '新しい端末からのサインイン',
    lines: [
      '{host} に {email} として {address} から {device} でサインインがありました ({at})。お心当たりがない場合は、そのセッションを終了し、すぐに新しいパスワードを設定してください:',
      '{link}',
    ],
  },
  MEMBER_CHANGED: {
    subject: '{company} のメンバーの変更',
    lines: ['{by} が {company} での {member} の権限を変更しました:', '{link}'],
  },
  APPROVER_ADDED: {
    subject: '{member} が {company} の支払いを承認できます',
    lines: ['{by} が {member} に {company} の支払いを承認する権限を与えました。{from} から有効です:', '{link}'],
  },
  KEY_WITH_WITHDRAW: {
    subject: '{company} の出金できるキー',
    lines: ['{by} が {company} の出金できるキー「{key}」を作成または変更しました:', '{link}'],
  },
  WEBHOOK_OFF: {
    subject: '{company} の Webhook が停止されました',
    lines: [
      '{url} が長時間失敗したため、{company} はそこへの送信を停止しました。修正してから再び有効にしてください:',
      '{link}',
    ],
  },
  PAYOUT_AWAITING: {
    subject: '{company}:承認待ちの支払い',
    lines: ['{by} が {address} へ {amount} の支払いを依頼しました。承認または却下してください:', '{link}'],
  },
  PAYOUT_FAILED: {
    subject: '{company}:支払いが失敗しました',
    lines: ['{amount} の支払い {id} が失敗しました。資金は再び利用できます:', '{link}'],
  },
  PAYOUT_REJECTED: {
    subject: '{company}:支払いが却下されました',
    lines: ['{amount} の支払い {id} が却下されました:{reason}。資金は再び利用できます:', '{link}'],
  },
  ADDRESS_ADDED: {
    subject: '{company}:新しい支払い先アドレス',
    lines: ['{by} が {address}({network})を {company} のアドレス帳に追加しました。{from} から支払えます:', '{link}'],
  },
  POLICY_LOOSENED: {
    subject: '{company}:支払いのルールが緩和されます',
    lines: [
      '{by} が {company} の支払いのルールを緩和しました。変更は {from} から有効で、それまでは取り消せます:',
      '{link}',
    ],
  },
  SETTLEMENT_SKIPPED: {
    subject: '{company}:精算が見送られました',
    lines: ['精算 {id} は今回何も支払いませんでした:{reason}:', '{link}'],
  },
  PAYOUT_STUCK: {
    subject: '{network} の支払いが滞っています',
    lines: [
      '{amount} の支払い {id} は {since} から完了していません。{network} で滞っている件数：{count}。原因を確認してください：',
      '{link}',
    ],
  },
  GAS_LOW: {
    subject: '{network} のガス用ウォレットの残高が不足しています',
    lines: [
      '{network} のガス用ウォレット {address} の残高は {amount} です。1 件の支払いに {needed} かかることがあります。まもなく支払いが待機します。補充してください：',
      '{link}',
    ],
  },
  SUSPENSE_FOUND: {
    subject: '{network} で説明のつかない差額が見つかりました',
    lines: ['{network} ではチェーンと帳簿が {amount} 食い違っています。説明されるまで仮勘定に残ります：', '{link}'],
  },
  ACTION_PENDING: {
    subject: '{amount}：操作が別の運営者を待っています',
    lines: [
      '{by} が {amount} の {action} を申請しました：{reason}。72 時間以内に承認または却下してください：',
      '{link}',
    ],
  },
  RECEIPT: {
    subject: '{company}：お支払いが届きました',
    lines: [
      '{company} は {about} の代金 {amount} を受け取りました。',
      '{link}',
      'ご質問は {contact} までご連絡ください。',
      ...STOP,
    ],
  },
  UNDERPAID: {
    subject: '{company}：あと {rest} 必要です',
    lines: [
      '{company} は {about} の代金 {amount} を受け取りました。あと {rest} 必要です。時間内に同じアドレスへお送りください：',
      '{link}',
      'ご質問は {contact} までご連絡ください。',
      ...STOP,
    ],
  },
  UNDERPAID_ENDED: {
    subject: '{company}：お支払いが不足していました',
    lines: [
      '{company} は {about} の代金 {amount} を受け取りましたが、金額が足りず、支払期限も過ぎました。これ以上送金しないでください。{contact} にご連絡ください。お支払いの受け付け、または返金ができます。',
      '{link}',
      ...STOP,
    ],
  },
  REFUND_SENT: {
    subject: '{company} から返金がありました',
    lines: [
      '{company} は {about} の {amount} を {address} に返金しました。',
      '{link}',
      'ご質問は {contact} までご連絡ください。',
      ...STOP,
    ],
  },
};
