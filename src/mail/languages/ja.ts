// Japanese.

import type { MailLanguage } from '../mails.ts';

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
};
