// Prints what a merchant without invoices sees of the sandbox at a URL, which must be fresh, with the network ETH
// alone. Its output on the commit before invoices is test/rest/recorded-answers.json:
//   npm run build && node dist/scripts/record-answers.js http://127.0.0.1:3000

import { recordAnswers } from '../test/rest/recorded-answers.fixture.ts';

const [url] = process.argv.slice(2);
if (url === undefined) throw new Error('Give the URL of a fresh sandbox');
console.log(JSON.stringify(await recordAnswers(url), null, 2));
