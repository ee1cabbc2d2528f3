// Makes the calls of the table with the built package, and prints what came of each as a line of JSON.
import { readFileSync } from 'node:fs';
import { ApiError, Turnpike, TurnpikeError } from '../../typescript/dist/esm/index.js';
import { handleWebhook, SeenInMemory, WebhookVerificationError } from '../../typescript/dist/esm/webhooks/index.js';

const { BASE_URL: baseUrl, EMAIL: email } = process.env;
const table = (name) => JSON.parse(readFileSync(new URL(`../${name}.json`, import.meta.url), 'utf8'));
const print = (line) => console.log(JSON.stringify(line));
const saved = { email };
const filled = (value) => JSON.parse(JSON.stringify(value).replace(/\$\{(\w+)\}/g, (_, name) => saved[name]));
const at = (data, path) => path.split('.').reduce((value, name) => value[name], data);

let client = new Turnpike({ baseUrl });
for (const row of table('calls')) {
  const { step, call, list, path, query, body, timeoutMs, save, show } = row;
  const options = { requestId: step, timeoutMs };
  try {
    if (list) print({ step, items: await count(list, filled(query), options) });
    else {
      const data = await client.call(call, filled({ path, query, body }), options);
      for (const [name, from] of Object.entries(save ?? {})) saved[name] = at(data, from);
      print({ step, data: (show ?? []).map((name) => at(data, name)) });
    }
  } catch (error) {
    print({ step, ...told(error) });
  }
  if (step === 'register') client = new Turnpike({ baseUrl, apiKey: saved.keyId, apiSecret: saved.secret });
}

async function count(list, query, options) {
  const { after, ...filter } = query;
  const lists = {
    events: () => client.events.list(after, { ...filter, ...options }),
    payments: () => client.payments.list(filter, options),
    paymentRefunds: () => client.payments.refunds(saved.orderId, filter, options),
  };
  return (await lists[list]().toArray()).length;
}

function told(error) {
  if (!(error instanceof TurnpikeError)) throw error;
  if (!(error instanceof ApiError)) return { error: error.name };
  const { name, code, status, retryAfter, details } = error;
  return { error: name, code, status, retryAfter, details: details.map((one) => one.path) };
}

const seen = new SeenInMemory();
for (const { name, secrets, now, signature, body, claimedForSeconds, actFails } of table('webhooks')) {
  const delivery = { rawBody: Buffer.from(body), signature, secrets, now: new Date(now * 1000) };
  if (claimedForSeconds !== undefined) seen.claim(JSON.parse(body).id, claimedForSeconds);
  const act = () => (actFails ? Promise.reject(new Error('act-failed')) : undefined);
  const outcome = await handleWebhook(delivery, seen, act).catch((error) => {
    if (error instanceof WebhookVerificationError) return error.fault;
    if (error.message === 'act-failed') return error.message;
    throw error;
  });
  print({ step: name, outcome });
}
