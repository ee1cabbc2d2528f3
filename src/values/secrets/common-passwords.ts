// The most common passwords, rejected in live because attackers try them first.

const COMMON = new Set(
  `password password1 password123 passw0rd p@ssw0rd p@ssword 12345678 123456789 1234567890 0123456789 87654321 987654321
  11111111 00000000 12341234 qwertyui qwertyuiop qwerty123 qwerty12 1q2w3e4r 1qaz2wsx q1w2e3r4 abcd1234 abc12345 iloveyou
  sunshine princess football baseball superman trustno1 welcome1 letmein1 changeme whatever computer internet starwars
  michelle jennifer asdfghjk asdfasdf zxcvbnm1 aaaaaaaa administrator admin123 admin1234 bitcoin1 ethereum`.split(
    /\s+/,
  ),
);

export function isCommonPassword(password: string): boolean {
  return COMMON.has(password.toLowerCase());
}
