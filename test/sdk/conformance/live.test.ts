// Live updates and tokens of the TypeScript SDK against a gateway, behind a proxy that cuts.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { NotFoundError, Turnpike } from '../../../sdk/typescript/src/index.ts';
import { newMerchant, USDT_PAYMENT } from '../../support/clients.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';

let gateway: BorrowedGateway;
let server: Server;
let baseUrl: string;
const sockets = new Set<Socket>();

/** Ends every connection at once, in the midst of whatever it carries. */
const cut = (): void => {
  for (const socket of sockets) socket.destroy();
};

beforeAll(async () => {
  gateway = await borrowGateway();
  const { hostname, port } = new URL(gateway.url);
  server = createServer((socket) => {
    const onward = connect(Number(port), hostname);
    for (const one of [socket, onward]) {
      sockets.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(one);
          for (const other of [socket, onward]) other.destroy();
        });
    }
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  cut();
  await new Promise((resolve) => server.close(resolve));
  await gateway.stop();
});

async function newClient(options: { fetch?: typeof fetch } = {}): Promise<Turnpike> {
  const { keyId, secret } = await newMerchant(gateway);
  return new Turnpike({ baseUrl, apiKey: keyId, apiSecret: secret, ...options });
}

describe('live.events', () => {
  it('leaves nothing out and repeats nothing while the connection breaks again and again', async () => {
    const turnpike = await newClient();
    const sequences: number[] = [];
    for (let nth = 0; nth < 3; nth += 1) await turnpike.payments.create(USDT_PAYMENT);
    for await (const event of turnpike.live.events({ after: 0 })) {
      sequences.push(event.sequence);
      expect(event.payment?.orderId).toMatch(/^ord_/);
      if (sequences.length >= 8) break;
      cut();
      // While nobody listens, too.
      if (sequences.length >= 3) await turnpike.payments.create(USDT_PAYMENT);
    }
    expect(sequences).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('begins now if nothing is said, and shows what the list shows', async () => {
    const turnpike = await newClient();
    for (let nth = 0; nth < 5; nth += 1) await turnpike.payments.create(USDT_PAYMENT);
    const events = turnpike.live.events();
    const next = events.next();
    // It is connected when it has asked where the log ends: a payment of after that is its first event.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await turnpike.payments.create(USDT_PAYMENT);
    const { value } = await next;
    await events.return();
    expect(value).toEqual((await turnpike.events.list(5).toArray())[0]);
    expect(value?.sequence).toBe(6);
  });

  it('ends by its signal, and by what waiting does not mend', async () => {
    const turnpike = await newClient();
    const ending = AbortSignal.timeout(300);
    await expect(turnpike.live.events({ after: 0, signal: ending }).next()).rejects.toThrow(/timeout|aborted/i);
    await expect(turnpike.live.payment('ord_unknown').next()).rejects.toThrow(NotFoundError);
  });
});

describe('live.payment', () => {
  it('shows how a payment is paid, each state once although the connection breaks', async () => {
    const { keyId, secret, rest } = await newMerchant(gateway);
    const turnpike = new Turnpike({ baseUrl, apiKey: keyId, apiSecret: secret });
    const { orderId } = await turnpike.payments.create(USDT_PAYMENT);
    const states: string[] = [];
    for await (const { status } of turnpike.live.payment(orderId)) {
      states.push(status);
      if (status === 'PENDING') {
        cut();
        // Past the proxy: a deposit is not repeated where its connection was cut.
        await rest('POST', `/sandbox/payments/${orderId}/deposit`);
      }
      if (status === 'SUCCEEDED') break;
    }
    expect(states.filter((status) => status === 'PENDING')).toHaveLength(1);
    expect(states.at(-1)).toBe('SUCCEEDED');
  });
});

describe('tokens', () => {
  it('are exchanged once for calls at the same time, and one that leaves takes no other along', async () => {
    const asked: string[] = [];
    const turnpike = await newClient({
      fetch: (input, init) => {
        asked.push(new URL(input instanceof Request ? input.url : input).pathname);
        return fetch(input, init);
      },
    });
    const leaving = turnpike.wallet.balances({ signal: AbortSignal.abort(new Error('left')) });
    const staying = Promise.all(Array.from({ length: 5 }, () => turnpike.wallet.balances()));
    await expect(leaving).rejects.toThrow('left');
    expect(await staying).toHaveLength(5);
    expect(asked.filter((path) => path === '/api/v1/auth/token')).toHaveLength(1);
  });

  it('are not sent to where nobody should read them', () => {
    const made = (url: string, more = {}) => new Turnpike({ baseUrl: url, ...more });
    expect(() => made('http://pay.example')).toThrow('plain HTTP to another machine');
    expect(() => made('http://localhost.pay.example')).toThrow('plain HTTP to another machine');
    expect(() => made('https://me:word@pay.example')).toThrow('user name or password');
    expect(() => made('https://pay.example', { apiKey: 'pk_test_1' })).toThrow('go together');
    expect(made('http://gateway:3000', { allowInsecureHttp: true })).toBeInstanceOf(Turnpike);
  });
});
