// Wallets in the customer's browser that can pay at once: found by EIP-6963, TIP-6963 and the Wallet Standard. Loaded
// only where a payment can be sent by one. It contains no texts: they come with the page.

interface EvmRequest {
  readonly kind: 'evm';
  readonly chainId: string;
  readonly to: string;
  readonly value: string;
  readonly data: string;
}

interface TronRequest {
  readonly kind: 'tron';
  readonly genesis: string;
  readonly to: string;
  readonly amount: string;
  readonly contract: string | null;
}

interface SolanaRequest {
  readonly kind: 'solana';
  readonly chain: string;
  readonly id: string;
  readonly query: string;
}

/** As the page carries it: web/pay/wallets/transfer-request.ts. */
type TransferRequest = EvmRequest | TronRequest | SolanaRequest;

/** A wallet that was found. */
interface Wallet {
  readonly name: string;
  /** Whatever the wallet says; only a picture in a data URL is shown. */
  readonly icon: unknown;
  /** Returns once it has sent. `stillAsked` throws once the page asks for something else, or for nothing any more. */
  send(request: TransferRequest, stillAsked: () => void): Promise<void>;
}

/** A provider of EIP-1193 or TIP-1193. */
interface Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
  readonly tronWeb?: TronWeb | false;
}

/** The part of TronWeb that a wallet's own provider has. Transactions are opaque: the wallet makes and signs them. */
interface TronWeb {
  readonly defaultAddress: { readonly base58: string | false };
  readonly trx: {
    getBlock(height: number): Promise<{ readonly blockID: string }>;
    sign(transaction: object): Promise<object>;
    sendRawTransaction(transaction: object): Promise<{ readonly result?: boolean }>;
  };
  readonly transactionBuilder: {
    sendTrx(to: string, amount: number, from: string): Promise<object>;
    triggerSmartContract(
      contract: string,
      call: string,
      options: object,
      parameters: readonly { readonly type: string; readonly value: string }[],
      from: string,
    ): Promise<{ readonly transaction: object }>;
  };
}

/** What a wallet announces by EIP-6963 and TIP-6963. */
interface Announcement {
  readonly info: { readonly uuid: string; readonly name: string; readonly icon: unknown };
  readonly provider: Provider;
}

/** A wallet of the Wallet Standard, with the features that pay on Solana. */
interface StandardWallet {
  readonly name: string;
  readonly icon: unknown;
  readonly chains?: readonly string[];
  readonly features?: {
    readonly 'standard:connect'?: { connect(): Promise<{ readonly accounts: readonly StandardAccount[] }> };
    readonly 'solana:signAndSendTransaction'?: {
      signAndSendTransaction(input: {
        readonly account: StandardAccount;
        readonly transaction: Uint8Array;
        readonly chain: string;
      }): Promise<unknown>;
    };
  };
}

interface StandardAccount {
  readonly address: string;
}

/** More wallets than anybody has: a page that is flooded with announcements stays a page. */
const MOST_WALLETS = 6;
/** What a transfer of a TRC-20 token may burn at most, in sun: wallets refuse a call without a limit. */
const TRON_FEE_LIMIT = 100_000_000;

/** How things ended, as the page has texts for it. */
type Outcome = 'asked' | 'sent' | 'refused' | 'network' | 'failed';

/** The wallet is on another chain, and did not go to the right one. */
class WrongNetwork extends Error {}

const wallets = new Map<string, Wallet>();
let isListening = false;
let isAsking = false;
/** The request that a wallet has sent: a second click must not pay twice. */
let done = '';

/** Shows a button for each wallet that announces itself, in the element that carries the request. */
export function offerWallets(): void {
  const request = requestOf();
  if (!request) return;
  if (!isListening) {
    isListening = true;
    addEventListener('click', (event) => void choose(event.target));
    if (request.kind === 'solana') findStandardWallets(request.chain);
    else findAnnounced(request.kind === 'evm' ? 'eip6963' : 'TIP6963');
  }
  show();
}

const place = () => document.getElementById('browser-wallets');
const textOf = () => place()?.dataset['request'] ?? '';

/** What is to be sent now: a page that has changed since the wallet was announced has another amount. */
function requestOf(): TransferRequest | null {
  const text = textOf();
  return text === '' ? null : (JSON.parse(text) as TransferRequest);
}

// ---- Wallets that are there

function findAnnounced(standard: 'eip6963' | 'TIP6963'): void {
  addEventListener(`${standard}:announceProvider`, (event) => {
    const { info, provider } = ((event as CustomEvent<unknown>).detail ?? {}) as Partial<Announcement>;
    if (typeof info?.uuid !== 'string' || typeof provider?.request !== 'function') return;
    const send: Wallet['send'] = (request, stillAsked) =>
      request.kind === 'evm'
        ? sendByEvm(provider, request, stillAsked)
        : sendByTron(provider, request as TronRequest, stillAsked);
    found(info.uuid, { name: info.name, icon: info.icon, send });
  });
  dispatchEvent(new Event(`${standard}:requestProvider`));
}

/** Wallets that were there before the page hear that it is ready; those that come later say so themselves. */
function findStandardWallets(chain: string): void {
  const register = (...registered: readonly StandardWallet[]): (() => void) => {
    for (const wallet of registered) {
      const { name, icon, chains, features } = wallet;
      if (!chains?.includes(chain) || !features?.['solana:signAndSendTransaction']) continue;
      found(name, { name, icon, send: (request) => sendBySolana(wallet, request as SolanaRequest) });
    }
    return () => undefined;
  };
  addEventListener('wallet-standard:register-wallet', (event) => {
    const { detail } = event as CustomEvent<unknown>;
    if (typeof detail === 'function') (detail as (api: { register: typeof register }) => void)({ register });
  });
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }));
}

function found(key: string, wallet: Wallet): void {
  if (typeof wallet.name !== 'string' || wallets.size >= MOST_WALLETS) return;
  wallets.set(key, wallet);
  show();
}

/** The wallets' own names and pictures, as texts and as data: an address elsewhere is not asked for. */
function show(): void {
  const element = place();
  const shown = element?.querySelector('.buttons');
  if (!element || !shown) return;
  const offered = textOf() === done ? [] : [...wallets];
  const buttons = offered.map(([key, { name, icon }]) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button';
    button.dataset['wallet'] = key;
    if (typeof icon === 'string' && icon.startsWith('data:image/')) {
      const picture = new Image(20, 20);
      picture.src = icon;
      picture.alt = '';
      button.append(picture);
    }
    button.append((element.dataset['with'] ?? '').replace('%', () => name.slice(0, 40)));
    return button;
  });
  shown.replaceChildren(...buttons);
  element.hidden = wallets.size === 0;
}

// ---- The wallet that the customer chooses

async function choose(target: EventTarget | null): Promise<void> {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>('button[data-wallet]') : null;
  const wallet = wallets.get(button?.dataset['wallet'] ?? '');
  const request = requestOf();
  if (!wallet || !request || isAsking) return;
  const text = textOf();
  isAsking = true;
  say('asked');
  try {
    await wallet.send(request, () => {
      // Questions of a wallet may stay for minutes.
      if (textOf() !== text) throw new Error('The payment has changed');
    });
    done = text;
    show();
    say('sent');
  } catch (error) {
    say(outcomeOf(error));
  } finally {
    isAsking = false;
  }
}

function say(outcome: Outcome): void {
  const line = place()?.querySelector('.outcome');
  if (line) line.textContent = place()?.dataset[outcome] ?? '';
}

/** 4001: the customer refused (EIP-1193). 4902: the wallet does not know the chain (EIP-3326). */
function outcomeOf(error: unknown): Outcome {
  if (error instanceof WrongNetwork) return 'network';
  const code = (error as { code?: unknown } | null)?.code;
  if (code === 4902) return 'network';
  return code === 4001 ? 'refused' : 'failed';
}

async function sendByEvm(provider: Provider, request: EvmRequest, stillAsked: () => void): Promise<void> {
  const { chainId, to, value, data } = request;
  const [from] = (await provider.request({ method: 'eth_requestAccounts' })) as string[];
  const isThere = async () => BigInt((await provider.request({ method: 'eth_chainId' })) as string) === BigInt(chainId);
  if (!(await isThere())) {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] });
    if (!(await isThere())) throw new WrongNetwork();
  }
  stillAsked();
  // With its chain, so that a wallet that was switched meanwhile refuses.
  await provider.request({ method: 'eth_sendTransaction', params: [{ from, to, value, data, chainId }] });
}

async function sendByTron(provider: Provider, request: TronRequest, stillAsked: () => void): Promise<void> {
  await provider.request({ method: 'eth_requestAccounts' });
  const { tronWeb } = provider;
  if (!tronWeb) throw new Error('The wallet is locked');
  const from = tronWeb.defaultAddress.base58;
  if (from === false) throw new Error('The wallet has no account');
  if ((await tronWeb.trx.getBlock(0)).blockID !== request.genesis) throw new WrongNetwork();
  const transaction = await tronTransaction(tronWeb, request, from);
  stillAsked();
  const signed = await tronWeb.trx.sign(transaction);
  const { result } = await tronWeb.trx.sendRawTransaction(signed);
  if (result !== true) throw new Error('The transaction was not taken');
}

async function tronTransaction(tronWeb: TronWeb, request: TronRequest, from: string): Promise<object> {
  const { to, amount, contract } = request;
  const builder = tronWeb.transactionBuilder;
  if (contract === null) {
    if (!Number.isSafeInteger(Number(amount))) throw new Error('More than TRON has');
    return builder.sendTrx(to, Number(amount), from);
  }
  const parameters = [
    { type: 'address', value: to },
    { type: 'uint256', value: amount },
  ];
  const call = 'transfer(address,uint256)';
  const options = { feeLimit: TRON_FEE_LIMIT };
  return (await builder.triggerSmartContract(contract, call, options, parameters, from)).transaction;
}

/** The gateway makes the transaction of what is due by then, and none once nothing is asked for any more. */
async function sendBySolana({ features }: StandardWallet, { chain, id, query }: SolanaRequest): Promise<void> {
  const connected = await features?.['standard:connect']?.connect();
  const account = connected?.accounts[0];
  if (!account) throw new Error('The wallet has no account');
  const body = JSON.stringify({ query, variables: { id, payer: account.address } });
  const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const answer = await fetch(document.getElementById('payment')?.dataset['graphql'] ?? '', options);
  const { data } = (await answer.json()) as { readonly data?: { readonly walletTransaction: string } | null };
  if (!data) throw new Error('There is nothing to pay');
  const transaction = Uint8Array.from(atob(data.walletTransaction), (character) => character.charCodeAt(0));
  await features?.['solana:signAndSendTransaction']?.signAndSendTransaction({ account, transaction, chain });
}
