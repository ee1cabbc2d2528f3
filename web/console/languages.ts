// The languages of the payment page and of mails, each in its own.

export const LANGUAGES = [
  ['en', 'English'],
  ['es', 'Español'],
  ['pt', 'Português'],
  ['fr', 'Français'],
  ['de', 'Deutsch'],
  ['tr', 'Türkçe'],
  ['ar', 'العربية'],
  ['zh', '中文'],
  ['ja', '日本語'],
] as const;
