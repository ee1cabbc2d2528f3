// Arabic.

import type { MailLanguage } from '../mails.ts';

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
};
