// Chinese.

import type { MailLanguage } from '../mails.ts';

export const zh: MailLanguage = {
  INVITATION: {
    subject: '{company} 邀请您加入 Turnpike',
    lines: [
      '{company} 邀请您加入其在 {host} 的账户。',
      '请在七天内接受邀请：',
      '{link}',
      '如果您并未预料到此邮件，无需进行任何操作。',
    ],
  },
  RESET_PASSWORD: {
    subject: '设置新密码',
    lines: [
      '有人为 {host} 上的 {email} 申请了新密码。如果是您本人，请在 30 分钟内设置：',
      '{link}',
      '届时您的所有会话都会结束。如果不是您本人，无需操作：您的密码保持不变。',
    ],
  },
  PASSWORD_CHANGED: {
    subject: '您的密码已更改',
    lines: [
      '{host} 上 {email} 的密码已更改，您的其他会话已结束。',
      '如果不是您本人操作，请立即设置新密码，并通知 {host} 的运营者：',
      '{link}',
    ],
  },
};
