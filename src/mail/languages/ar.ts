// Arabic.

import type { MailLanguage } from '../mails.ts';

/** The last lines of mails to customers. */
const STOP = ['تصلك هذه الرسالة لأنك دفعت إلى {company} عبر {host}. لإيقاف الرسائل من {company}:', '{unsubscribe}'];

export const ar: MailLanguage = {
  INVITATION: {
    subject: 'تدعوك {company} إلى Turnpike',
    lines: [
      'تدعوك {company} إلى حسابها على {host}.',
      'اقبل الدعوة خلال سبعة أيام:',
      '{link}',
      'إذا لم تكن تتوقع هذه الرسالة فلا تفعل شيئًا.',
    ],
  },
  INVITATION_TO_REGISTER: {
    subject: 'دعوة إلى {host}',
    lines: [
      'يدعوك مشغّل {host} إلى فتح حساب هناك لاستقبال المدفوعات بالعملات الرقمية عبر Turnpike.',
      'سجّل خلال سبعة أيام:',
      '{link}',
      'إذا لم تكن تتوقع هذه الرسالة فلا تفعل شيئًا.',
    ],
  },
  RESET_PASSWORD: {
    subject: 'اختر كلمة مرور جديدة',
    lines: [
      'طُلبت كلمة مرور جديدة للحساب {email} على {host}. إذا كنت أنت من طلبها فاختر واحدة خلال 30 دقيقة:',
      '{link}',
      'عندئذ تنتهي جميع جلساتك. وإذا لم تكن أنت فلا تفعل شيئًا: تبقى كلمة مرورك كما هي.',
    ],
  },
  PASSWORD_CHANGED: {
    subject: 'تم تغيير كلمة مرورك',
    lines: [
      'تم تغيير كلمة مرور {email} على {host}، وانتهت جلساتك الأخرى.',
      'إذا لم تكن أنت من فعل ذلك فاختر كلمة جديدة فورًا وأبلغ مشغّل {host}:',
      '{link}',
    ],
  },
  VERIFY_EMAIL: {
    subject: 'أكّد عنوان بريدك الإلكتروني',
    lines: ['أكّد خلال 24 ساعة أن {email} لك على {host}:', '{link}'],
  },
  SIGN_IN_CODE: {
    subject: 'رمزك هو {code}',
    lines: ['لتسجيل الدخول إلى {host} أدخل {code}. إن لم تحاول تسجيل الدخول فاختر كلمة مرور جديدة.'],
  },
  EMAIL_CHANGED: {
    subject: 'تم تغيير عنوان بريدك الإلكتروني',
    lines: [
      'عنوان بريد حسابك على {host} هو الآن {address}. إن لم تكن أنت، فاسترجعه خلال سبعة أيام؛ وعندها تنتهي كل الجلسات:',
      '{link}',
    ],
  },
  FACTOR_CHANGED: {
    subject: 'تم تغيير عوامل التحقق الثانية لديك',
    lines: [
      'أُضيف عامل ثانٍ للحساب {email} على {host} أو استُعمل أو أُزيل. إن لم تكن أنت، فاختر كلمة مرور جديدة فورًا:',
      '{link}',
    ],
  },
  IDENTITY_CHANGED: {
    subject: 'تم ربط طريقة أخرى لتسجيل الدخول أو إزالتها',
    lines: [
      'تم ربط أو إزالة حساب لدى مزوّد آخر يُستخدم لتسجيل دخول {email} على {host}. إن لم تكن أنت، فاختر كلمة مرور جديدة فورًا؛ فهذا يفك ارتباط جميع هذه الحسابات:',
      '{link}',
    ],
  },
  NEW_DEVICE: {
    subject: 'تسجيل دخول من جهاز جديد',
    lines: [
      'سجّل أحدهم الدخول باسم {email} على {host} من {address} باستعمال {device} في {at}. إن لم تكن أنت، فأنهِ تلك الجلسة واختر كلمة مرور جديدة فورًا:',
      '{link}',
    ],
  },
  MEMBER_CHANGED: {
    subject: 'تغيير في أعضاء {company}',
    lines: ['غيّر {by} ما يُسمح به للعضو {member} في {company}:', '{link}'],
  },
  APPROVER_ADDED: {
    subject: 'يستطيع {member} الموافقة على مدفوعات {company}',
    lines: ['منح {by} العضو {member} حق الموافقة على المدفوعات الصادرة من {company}. يسري من {from}:', '{link}'],
  },
  KEY_WITH_WITHDRAW: {
    subject: 'مفتاح في {company} يستطيع السحب',
    lines: ['أنشأ {by} أو غيّر المفتاح «{key}» في {company}، وهو يستطيع سحب المال:', '{link}'],
  },
  WEBHOOK_OFF: {
    subject: 'أُوقف أحد روابط webhook لدى {company}',
    lines: ['فشل {url} مدة طويلة حتى لم تعد {company} ترسل إليه شيئًا. أصلحه ثم شغّله من جديد:', '{link}'],
  },
  PAYOUT_AWAITING: {
    subject: '{company}: دفعة تنتظر الموافقة',
    lines: ['طلب {by} دفع {amount} إلى {address}. وافق عليها أو ارفضها:', '{link}'],
  },
  PAYOUT_FAILED: {
    subject: '{company}: فشلت دفعة',
    lines: ['فشلت الدفعة {id} بمبلغ {amount}. المال متاح من جديد:', '{link}'],
  },
  PAYOUT_REJECTED: {
    subject: '{company}: رُفضت دفعة',
    lines: ['رُفضت الدفعة {id} بمبلغ {amount}: {reason}. المال متاح من جديد:', '{link}'],
  },
  ADDRESS_ADDED: {
    subject: '{company}: عنوان جديد للمدفوعات',
    lines: ['أضاف {by} العنوان {address} ({network}) إلى دفتر {company}. يمكن الدفع إليه من {from}:', '{link}'],
  },
  POLICY_LOOSENED: {
    subject: '{company}: قواعد المدفوعات تصبح أخف',
    lines: ['خفّف {by} قواعد المدفوعات لدى {company}. يسري التغيير من {from} ويمكن إلغاؤه حتى ذلك الحين:', '{link}'],
  },
  SETTLEMENT_SKIPPED: {
    subject: '{company}: تُركت تسوية',
    lines: ['لم تدفع التسوية {id} شيئًا هذه المرة: {reason}:', '{link}'],
  },
  PAYOUT_STUCK: {
    subject: 'دفعة عالقة على {network}',
    lines: [
      'الدفعة {id} بمبلغ {amount} مفتوحة منذ {since}. العالقة على {network}: {count}. انظر ما الذي يعطلها:',
      '{link}',
    ],
  },
  GAS_LOW: {
    subject: 'محفظة الغاز على {network} أوشكت على النفاد',
    lines: [
      'في محفظة الغاز {address} على {network} مبلغ {amount}؛ وقد تكلف دفعة واحدة {needed}. ستنتظر الدفعات قريبًا. أرسل إليها رصيدًا:',
      '{link}',
    ],
  },
  SUSPENSE_FOUND: {
    subject: 'مبلغ غير مفسَّر على {network}',
    lines: ['على {network} تختلف السلسلة عن الدفتر بمقدار {amount}. يبقى المبلغ معلقًا حتى تفسره:', '{link}'],
  },
  ACTION_PENDING: {
    subject: '{amount}: إجراء ينتظر مشغّلًا آخر',
    lines: ['يطلب {by} الإجراء {action} بمبلغ {amount}: {reason}. وافق عليه أو ارفضه خلال 72 ساعة:', '{link}'],
  },
  RECEIPT: {
    subject: '{company}: وصلت دفعتك',
    lines: [
      'استلمت {company} مبلغ {amount} مقابل {about}.',
      '{link}',
      'إذا كان لديك سؤال فاكتب إلى {contact}.',
      ...STOP,
    ],
  },
  UNDERPAID: {
    subject: '{company}: لا يزال {rest} مستحقًا',
    lines: [
      'استلمت {company} مبلغ {amount} مقابل {about}. لا يزال {rest} مستحقًا. أرسله إلى العنوان نفسه ما دام هناك وقت:',
      '{link}',
      'إذا كان لديك سؤال فاكتب إلى {contact}.',
      ...STOP,
    ],
  },
  UNDERPAID_ENDED: {
    subject: '{company}: لم تكتمل دفعتك',
    lines: [
      'استلمت {company} مبلغ {amount} مقابل {about}، وهو أقل من المطلوب، وقد انتهى وقت الدفع. لا ترسل المزيد. اكتب إلى {contact} لقبول الدفعة أو إعادة المال.',
      '{link}',
      ...STOP,
    ],
  },
  REFUND_SENT: {
    subject: 'أعادت {company} مالًا إليك',
    lines: [
      'أعادت {company} مبلغ {amount} مقابل {about} إلى {address}.',
      '{link}',
      'إذا كان لديك سؤال فاكتب إلى {contact}.',
      ...STOP,
    ],
  },
};
