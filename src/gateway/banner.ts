// The start-up banner: the URLs of a running gateway and, in the sandbox, commands for a first payment.

import type { Config } from '../config/config.ts';

/** The sandbox's commands can be pasted one after the other as they are. */
export function banner({ environment, baseUrl, payUrl, dataDir }: Config): string {
  const api = `${baseUrl}/api/v1`;
  const where = `
Turnpike is ready (${environment})

  REST          ${api}
  GraphQL       ${baseUrl}/graphql
  Payment page  ${payUrl}/{orderId}
  Console       ${baseUrl}/console
`;
  if (environment === 'live') return where;
  const explorers = `  Try them      ${baseUrl}/docs and, in a browser, ${baseUrl}/graphql\n`;
  const json = `-H 'Content-Type: application/json'`;
  const auth = `-H "Authorization: Bearer $TOKEN"`;
  const pick = (expression: string) =>
    `| node -pe 'const {data}=JSON.parse(require("fs").readFileSync(0));${expression}'`;
  return `${where}${explorers}  Data          ${dataDir}

Your first payment, four lines to paste:

  KEY=$(curl -s ${api}/merchant ${json} -d "{\\"email\\":\\"dev$RANDOM@example.com\\",\\"companyName\\":\\"Acme\\"}" ${pick('JSON.stringify({keyId:data.apiKey.keyId,secret:data.apiKey.key})')})
  TOKEN=$(curl -s ${api}/auth/token ${json} -d "$KEY" ${pick('data.accessToken')})
  ORDER=$(curl -s ${api}/payments ${json} ${auth} -d '{"amount":"25","currency":"USDT","network":"ERC20"}' ${pick('data.orderId')}); echo "${payUrl}/$ORDER"
  curl -s -X POST "${api}/sandbox/payments/$ORDER/deposit" ${auth}; echo; curl -s ${api}/wallet/balance ${auth}; echo
`;
}
