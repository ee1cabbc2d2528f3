// Chinese.

import type { MailLanguage } from '../mails.ts';

/** The last lines of mails to customers. */
const STOP = [
  '您收到此邮件，是因为您通过 {host} 向 {company} 付过款。如不想再收到 {company} 的邮件：',
  '{unsubscribe}',
];

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
  INVITATION_TO_REGISTER: {
    subject: '{host} 的邀请',
    lines: [
      '{host} 的运营方邀请您在该处开设账户，使用 Turnpike 接收加密货币付款。',
      '请在七天内注册：',
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
  VERIFY_EMAIL: { subject: '确认您的电子邮件地址', lines: ['请在 24 小时内确认 {email} 在 {host} 属于您:', '{link}'] },
  SIGN_IN_CODE: {
    subject: '您的验证码是 {code}',
    lines: ['要登录 {host},请输入 {code}。如果您没有尝试登录,请设置新密码。'],
  },
  EMAIL_CHANGED: {
    subject: '您的电子邮件地址已更改',
    lines: [
      '您在 {host} 的账户的电子邮件地址现在是 {address}。如果不是您本人操作,请在七天内恢复;届时所有会话都会结束:',
      '{link}',
    ],
  },
  FACTOR_CHANGED: {
    subject: '您的第二验证方式已更改',
    lines: ['{email} 在 {host} 的一种第二验证方式被添加、使用或移除。如果不是您本人操作,请立即设置新密码:', '{link}'],
  },
  IDENTITY_CHANGED: {
    subject: '另一种登录方式已被关联或移除',
    lines: [
      '{email} 在 {host} 用于登录的其他提供方账户已被关联或移除。如果不是您本人操作,请立即设置新密码;这会解除所有此类账户的关联:',
      '{link}',
    ],
  },
  NEW_DEVICE: {
    subject: '新设备登录',
    lines: [
      '有人以 {email} 的身份从 {address} 使用 {device} 登录了 {host},时间为 {at}。如果不是您本人,请结束该会话并立即设置新密码:',
      '{link}',
    ],
  },
  MEMBER_CHANGED: { subject: '{company} 的成员有变动', lines: ['{by} 更改了 {member} 在 {company} 的权限:', '{link}'] },
  APPROVER_ADDED: {
    subject: '{member} 可以批准 {company} 的付款',
    lines: ['{by} 授予 {member} 批准 {company} 付款的权限,自 {from} 起生效:', '{link}'],
  },
  KEY_WITH_WITHDRAW: {
    subject: '{company} 有一个可以提款的密钥',
    lines: ['{by} 创建或更改了 {company} 的密钥“{key}”,它可以提款:', '{link}'],
  },
  WEBHOOK_OFF: {
    subject: '{company} 的一个 webhook 已停用',
    lines: ['{url} 长时间失败,{company} 不再向其发送任何内容。请修复后重新启用:', '{link}'],
  },
  PAYOUT_AWAITING: {
    subject: '{company}:一笔付款等待批准',
    lines: ['{by} 请求向 {address} 支付 {amount}。请批准或拒绝:', '{link}'],
  },
  PAYOUT_FAILED: {
    subject: '{company}:一笔付款失败',
    lines: ['金额为 {amount} 的付款 {id} 失败。资金已恢复可用:', '{link}'],
  },
  PAYOUT_REJECTED: {
    subject: '{company}:一笔付款被拒绝',
    lines: ['金额为 {amount} 的付款 {id} 被拒绝:{reason}。资金已恢复可用:', '{link}'],
  },
  ADDRESS_ADDED: {
    subject: '{company}:新的付款地址',
    lines: ['{by} 将 {address}({network})加入了 {company} 的地址簿。自 {from} 起可以向其付款:', '{link}'],
  },
  POLICY_LOOSENED: {
    subject: '{company}:付款规则放宽',
    lines: ['{by} 放宽了 {company} 的付款规则。更改自 {from} 起生效,在此之前可以取消:', '{link}'],
  },
  SETTLEMENT_SKIPPED: { subject: '{company}:跳过了一次结算', lines: ['结算 {id} 这次没有付款:{reason}:', '{link}'] },
  PAYOUT_STUCK: {
    subject: '{network} 上有付款滞留',
    lines: ['金额为 {amount} 的付款 {id} 自 {since} 起一直未完成。{network} 上滞留：{count}。请查看原因：', '{link}'],
  },
  GAS_LOW: {
    subject: '{network} 上的燃料钱包余额不足',
    lines: [
      '{network} 上的燃料钱包 {address} 余额为 {amount}；一笔付款可能需要 {needed}。付款很快将会等待。请向其充值：',
      '{link}',
    ],
  },
  SUSPENSE_FOUND: {
    subject: '{network} 上发现未解释的差额',
    lines: ['{network} 上链与账簿相差 {amount}。在您说明之前，该金额保持挂账：', '{link}'],
  },
  ACTION_PENDING: {
    subject: '{amount}：一项操作等待另一位运营人员',
    lines: ['{by} 申请 {action}，金额 {amount}：{reason}。请在 72 小时内批准或拒绝：', '{link}'],
  },
  RECEIPT: {
    subject: '{company}：您的付款已到账',
    lines: ['{company} 已收到 {about} 的款项 {amount}。', '{link}', '如有疑问，请联系 {contact}。', ...STOP],
  },
  UNDERPAID: {
    subject: '{company}：还需支付 {rest}',
    lines: [
      '{company} 已收到 {about} 的款项 {amount}，还需支付 {rest}。请在剩余时间内发送到同一地址：',
      '{link}',
      '如有疑问，请联系 {contact}。',
      ...STOP,
    ],
  },
  UNDERPAID_ENDED: {
    subject: '{company}：您的付款不完整',
    lines: [
      '{company} 已收到 {about} 的款项 {amount}，金额不足，且付款时间已过。请勿再发送。请联系 {contact}：对方可以接受此付款或退款。',
      '{link}',
      ...STOP,
    ],
  },
  REFUND_SENT: {
    subject: '{company} 已向您退款',
    lines: ['{company} 已将 {about} 的 {amount} 退回至 {address}。', '{link}', '如有疑问，请联系 {contact}。', ...STOP],
  },
};
