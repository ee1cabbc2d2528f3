// The payment page's script: counts down, copies, and follows the payment by web socket, or by polling without one. It
// contains no texts: on a change it fetches the page again and replaces the parts that differ. Wallets in the browser
// are a script of their own, which is loaded where one can be asked.

const POLL_MS = 5_000;
/** While the server is unreachable, a visible page polls this often for a while, to be up to date soon after. */
const LOST_POLL_MS = 1_000;
const LOST_POLLS = 120;
/** How long a live socket replaces polling: the socket may be alive although its source of updates is not. */
const TRUST_MS = 30_000;
/** A longer gap between two ticks means that the machine or the page was asleep. */
const SLEPT_MS = 4_000;
const HEARTBEAT_MS = 20_000;
const ANSWER_MS = 5_000;
const RETRY_BASE_MS = 500;
const RETRY_MAX_MS = 30_000;
/** How long a wallet's link may take to open one before the page says what else there is. */
const OPENING_MS = 1_500;
/** How long a completed payment stays in sight before the page leads back to the shop. */
const RETURN_SECONDS = 8;

/** The state of an open page. */
interface Session {
  readonly main: HTMLElement;
  /** Each part's markup as the server sent it: the running clock must not count as a difference. */
  readonly parts: Map<string, string>;
  /** The server's clock minus ours, in ms. */
  offsetMs: number;
  socket: WebSocket | null;
  /** When the socket last sent a message; 0 until its subscription has delivered. */
  heardAt: number;
  retries: number;
  retryTimer: number;
  /** Consecutive failures to reach the server. */
  failures: number;
  /** The page is known to be older than the payment. */
  stale: boolean;
  /** The payment's state as last received or polled; '' before that. */
  told: string;
  /** The page fetch in progress; aborted when there is reason to think that no answer will come. */
  fetching: AbortController | null;
  /** When the payment's state was last requested. */
  askedAt: number;
  /** When the clock last ticked. */
  tickedAt: number;
  /** Seconds until the page leads back to the shop; null while it does not. */
  returnsIn: number | null;
}

const partsOf = (element: ParentNode) => [...element.querySelectorAll<HTMLElement>('[data-part]')];
const nameOf = (part: HTMLElement) => part.dataset['part'] ?? '';
const offsetOf = (element: HTMLElement) => Date.parse(element.dataset['now'] ?? '') - Date.now();
const isSettled = (session: Session) => session.main.dataset['settled'] === 'yes';
const watched = (session: Session) => session.main.dataset['watch'] ?? 'status';

const main = document.getElementById('payment');
if (main) start(main);

function start(element: HTMLElement): void {
  document.documentElement.classList.add('js');
  const session: Session = {
    main: element,
    parts: new Map(partsOf(element).map((part) => [nameOf(part), part.innerHTML])),
    offsetMs: offsetOf(element),
    socket: null,
    heardAt: 0,
    retries: 0,
    retryTimer: 0,
    failures: 0,
    stale: false,
    told: '',
    fetching: null,
    askedAt: Date.now(),
    tickedAt: Date.now(),
    returnsIn: null,
  };
  present(session);
  setInterval(() => beat(session), 1_000);
  void pollOn(session);
  document.addEventListener('click', (event) => {
    void copy(event);
    press(session, event.target);
    closeMenu(event.target);
  });
  document.addEventListener('keydown', (event) => event.key === 'Escape' && closeMenu(null));
  const comeBack = () => {
    if (document.visibilityState === 'visible') wake(session);
  };
  document.addEventListener('visibilitychange', comeBack);
  addEventListener('pageshow', (event) => event.persisted && comeBack());
  document.addEventListener('resume', comeBack);
  addEventListener('online', comeBack);
  addEventListener('offline', () => showConnection(session));
  connect(session);
  hideNoLogo();
}

/** What the server cannot know: the pointer, the customer's time, and the wallets of the browser. */
function present(session: Session): void {
  tick(session);
  const isCoarse = matchMedia('(pointer: coarse)').matches;
  const way = document.getElementById(isCoarse ? 'way-wallet' : 'way-code') as HTMLInputElement | null;
  if (way && !document.querySelector('[name=way]:checked')) way.checked = true;
  for (const moment of document.querySelectorAll<HTMLTimeElement>('time[data-local]')) {
    const format = new Intl.DateTimeFormat(moment.dataset['local'], { dateStyle: 'medium', timeStyle: 'short' });
    moment.textContent = format.format(new Date(moment.dateTime));
  }
  // A process of another version may not have it: everything else on the page works without.
  if (document.getElementById('browser-wallets'))
    void import('./wallets/browser-wallets.ts').then(
      (module) => module.offerWallets(),
      () => undefined,
    );
}

// ---- The page

/** Fetches the page and applies the differences. One fetch at a time: a change in the meantime causes another. */
async function refresh(session: Session): Promise<void> {
  session.stale = true;
  if (session.fetching) return;
  const fetching = new AbortController();
  session.fetching = fetching;
  try {
    while (session.stale) {
      session.stale = false;
      const page = await answerOf(location.href, { cache: 'no-store' }, fetching);
      if (session.fetching !== fetching) return;
      take(session, page);
    }
    reached(session, true);
    // Either the page or the received state is outdated: poll to find out which.
    if (session.told !== '' && session.told !== session.main.dataset['state'])
      setTimeout(() => void ask(session), 1_000);
  } catch {
    session.stale = true;
    if (session.fetching === fetching) reached(session, false);
  } finally {
    if (session.fetching === fetching) session.fetching = null;
  }
}

/** The text of a response; fails on an error status and when it takes too long. */
async function answerOf(url: string, options: RequestInit, controller = new AbortController()): Promise<string> {
  const timer = setTimeout(() => controller.abort(), ANSWER_MS);
  try {
    const answer = await fetch(url, { ...options, signal: controller.signal });
    if (!answer.ok) throw new Error(`The answer was ${answer.status}`);
    return await answer.text();
  } finally {
    clearTimeout(timer);
  }
}

/** Replaces the parts that differ. Only `main` is parsed: the rest of the page stays as it is. */
function take(session: Session, text: string): void {
  const markup = text.slice(text.indexOf('<main'), text.indexOf('</main>') + '</main>'.length);
  const fresh = new DOMParser().parseFromString(markup, 'text/html').getElementById('payment');
  if (!fresh) throw new Error('The page has no payment');
  const focused = document.activeElement;
  const unfolded = [...session.main.querySelectorAll<HTMLDetailsElement>('details[id][open]')].map(({ id }) => id);
  const chosen = session.main.querySelector<HTMLInputElement>('[name=way]:checked')?.id;
  const wasSettled = isSettled(session);
  for (const part of partsOf(fresh)) {
    const name = nameOf(part);
    const markup = part.innerHTML;
    const old = session.main.querySelector(`[data-part="${name}"]`);
    if (!old || session.parts.get(name) === markup) continue;
    session.parts.set(name, markup);
    old.replaceChildren(...part.childNodes);
  }
  for (const name of ['state', 'now', 'title', 'settled']) session.main.dataset[name] = fresh.dataset[name] ?? '';
  document.title = session.main.dataset['title'] ?? document.title;
  session.offsetMs = offsetOf(session.main);
  for (const id of unfolded) document.getElementById(id)?.setAttribute('open', '');
  const way = document.getElementById(chosen ?? '') as HTMLInputElement | null;
  if (way) way.checked = true;
  if (focused?.isConnected === false)
    (document.getElementById(focused.id) ?? session.main).focus({ preventScroll: true });
  present(session);
  if (!isSettled(session)) return;
  if (!wasSettled) session.returnsIn = RETURN_SECONDS;
  disconnect(session);
}

/** Runs once a second. A page that was asleep, with its machine or alone, gets no event: only the clock has jumped. */
function beat(session: Session): void {
  const slept = Date.now() - session.tickedAt > SLEPT_MS;
  session.tickedAt = Date.now();
  tick(session);
  countToReturn(session);
  if (slept && !document.hidden) wake(session);
}

/** Updates the countdown; when the time is up, fetches the page, whose text is then different. */
function tick(session: Session): void {
  const clock = session.main.querySelector<HTMLElement>('[data-until]');
  if (!clock) return;
  const leftMs = Date.parse(clock.dataset['until'] ?? '') - Date.now() - session.offsetMs;
  const seconds = Math.max(0, Math.ceil(leftMs / 1_000));
  const wholeMs = Date.parse(clock.dataset['until'] ?? '') - Date.parse(clock.dataset['from'] ?? '');
  const share = Math.min(100, Math.max(0, (100 * leftMs) / wholeMs));
  session.main.querySelector('.ring .left')?.setAttribute('stroke-dasharray', `${share} 100`);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const hours = seconds >= 3_600 ? `${Math.floor(seconds / 3_600)}:` : '';
  clock.textContent = `${hours}${two((seconds % 3_600) / 60)}:${two(seconds % 60)}`;
  if (leftMs < -500 && !session.stale) void refresh(session);
}

async function copy(event: Event): Promise<void> {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-copy]') : null;
  const source = document.getElementById(button?.dataset['copy'] ?? '');
  if (!button || !source) return;
  let done = button.dataset['done'] ?? '';
  try {
    await navigator.clipboard.writeText(source.textContent.trim());
  } catch {
    // No clipboard without HTTPS, or access was refused: selects the text so that the customer can copy it themselves.
    getSelection()?.selectAllChildren(source);
    done = button.dataset['manual'] ?? '';
  }
  const label = button.textContent;
  if (label.trim() === done) return;
  button.textContent = done;
  const announcer = document.getElementById('announcer');
  if (announcer) announcer.textContent = done;
  setTimeout(() => {
    button.textContent = label;
    if (announcer) announcer.textContent = '';
  }, 2_000);
}

/** Buttons and links other than those that copy. */
function press(session: Session, target: EventTarget | null): void {
  if (!(target instanceof Element)) return;
  if (target.closest('[data-print]')) print();
  if (target.closest('.stay')) stay(session);
  if (target.closest('[data-opens]')) void sayIfNothingOpens();
}

/** A link to an app that is not there does nothing, and says nothing. An app that opens takes the page out of sight. */
async function sayIfNothingOpens(): Promise<void> {
  const hint = document.getElementById('no-wallet');
  if (!hint) return;
  hint.textContent = '';
  let hasOpened = false;
  const opened = () => (hasOpened = true);
  addEventListener('blur', opened, { once: true });
  document.addEventListener('visibilitychange', opened, { once: true });
  await new Promise((resolve) => setTimeout(resolve, OPENING_MS));
  removeEventListener('blur', opened);
  document.removeEventListener('visibilitychange', opened);
  if (!hasOpened) hint.textContent = hint.dataset['text'] ?? '';
}

/**
 * Leads back to the shop once the page itself has seen the payment complete: who opens it later reads it. It says how
 * long that takes, and stands still while nobody looks.
 */
function countToReturn(session: Session): void {
  const link = session.main.querySelector<HTMLAnchorElement>('a[data-return]');
  if (!link || session.returnsIn === null || document.hidden) return;
  const button = session.main.querySelector<HTMLButtonElement>('.stay');
  if (button) button.hidden = false;
  if (session.returnsIn === 0) {
    session.returnsIn = null;
    return location.assign(link.href);
  }
  const count = link.querySelector('.count') ?? link.appendChild(document.createElement('span'));
  count.className = 'count';
  count.textContent = ` · ${session.returnsIn--}`;
}

function stay(session: Session): void {
  session.returnsIn = null;
  session.main.querySelector('a[data-return] .count')?.remove();
  const button = session.main.querySelector<HTMLButtonElement>('.stay');
  if (!button) return;
  button.hidden = true;
  session.main.querySelector<HTMLAnchorElement>('a[data-return]')?.focus();
}

/** Hides the logo if there is none: the server then sends a single pixel. */
function hideNoLogo(): void {
  const logo = document.querySelector<HTMLImageElement>('.logo');
  if (!logo) return;
  const look = () => (logo.hidden = logo.naturalWidth <= 1);
  logo.onload = look;
  logo.onerror = look;
  if (logo.complete) look();
}

/** Closes the language menu on a click elsewhere or on Escape; a focus inside it returns to its button. */
function closeMenu(target: EventTarget | null): void {
  const menu = document.querySelector<HTMLDetailsElement>('details.languages[open]');
  if (!menu || (target instanceof Node && menu.contains(target))) return;
  if (menu.contains(document.activeElement)) menu.querySelector('summary')?.focus();
  menu.open = false;
}

/** Shows that the connection is lost, once two attempts in a row have failed or the browser reports it. */
function showConnection(session: Session): void {
  const note = document.getElementById('offline');
  const lost = !isSettled(session) && (!navigator.onLine || session.failures >= 2);
  if (note && note.hidden === lost) note.hidden = !lost;
}

function reached(session: Session, ok: boolean): void {
  session.failures = ok ? 0 : session.failures + 1;
  showConnection(session);
}

// ---- The payment

/** Requests the payment's state. */
async function ask(session: Session): Promise<void> {
  session.askedAt = Date.now();
  try {
    const body = JSON.stringify(operation(session, 'ask'));
    const headers = { 'content-type': 'application/json' };
    const answer = await answerOf(session.main.dataset['graphql'] ?? '', { method: 'POST', headers, body });
    compare(session, JSON.parse(answer) as Message);
    reached(session, true);
  } catch {
    reached(session, false);
  }
}

/** Polls while the page is open, with jitter: pages that lost the same gateway must not all return at once. */
async function pollOn(session: Session): Promise<void> {
  for (;;) {
    const lost = session.failures > 0 && session.failures < LOST_POLLS && !document.hidden;
    const limitMs = lost ? LOST_POLL_MS : POLL_MS;
    await new Promise((resolve) => setTimeout(resolve, limitMs * (0.75 + Math.random() / 2)));
    poll(session);
  }
}

/** Polls while the socket brings no updates, and repeats a page fetch that failed. */
function poll(session: Session): void {
  showConnection(session);
  if (document.hidden || session.fetching) return;
  if (session.stale) void refresh(session);
  else if (!isSettled(session) && (session.heardAt === 0 || Date.now() - session.askedAt > TRUST_MS)) void ask(session);
}

/** After sleep, another tab or no network: polls at once, and replaces the socket, which may be dead unnoticed. */
function wake(session: Session): void {
  session.fetching?.abort();
  session.fetching = null;
  void (session.stale ? refresh(session) : ask(session));
  if (isSettled(session)) return;
  disconnect(session);
  session.retries = 0;
  connect(session);
}

interface Message {
  readonly type?: string;
  readonly payload?: Message;
  readonly data?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>> | null;
}

/** A generated operation, which the page carries. */
function operation(session: Session, name: 'ask' | 'subscribe'): { query: string; variables: object } {
  return { query: session.main.dataset[name] ?? '', variables: { id: session.main.dataset['id'] } };
}

/** Fetches the page if the payment's watched fields differ from those it was rendered from. */
function compare(session: Session, result: Message | undefined): void {
  const [checkout] = Object.values(result?.data ?? {});
  if (!checkout) throw new Error('No payment in the answer');
  const state = watched(session)
    .split(' ')
    .map((name) => told(checkout[name]))
    .join('|');
  session.told = state;
  if (state !== session.main.dataset['state']) void refresh(session);
}

/** The values of a field in the order in which they were asked for, as one string. */
function told(value: unknown): string {
  return value !== null && typeof value === 'object'
    ? Object.values(value).map(told).join('|')
    : String((value as string | number | boolean | null | undefined) ?? '');
}

// ---- The web socket: graphql-transport-ws, one subscription

function connect(session: Session): void {
  clearTimeout(session.retryTimer);
  if (isSettled(session)) return;
  const url = new URL(session.main.dataset['graphql'] ?? '', location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  let socket: WebSocket;
  try {
    socket = new WebSocket(url, 'graphql-transport-ws');
  } catch {
    return retry(session); // A browser in which 'self' does not include web sockets: polling continues.
  }
  session.socket = socket;
  const send = (message: object) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
  let pingedAt = 1;
  const heartbeat = setInterval(() => {
    // Compared with the last ping and not the clock: a hidden tab's timers run late.
    if (session.heardAt < pingedAt) return socket.close();
    pingedAt = Date.now();
    send({ type: 'ping' });
  }, HEARTBEAT_MS);
  socket.onopen = () => send({ type: 'connection_init' });
  socket.onmessage = (event) => {
    if (session.socket === socket) hear(session, JSON.parse(String(event.data)) as Message, send);
  };
  socket.onclose = () => {
    clearInterval(heartbeat);
    if (session.socket !== socket) return;
    session.socket = null;
    session.heardAt = 0;
    retry(session);
  };
}

function hear(session: Session, message: Message, send: (message: object) => void): void {
  if (message.type === 'connection_ack') {
    send({ id: '1', type: 'subscribe', payload: operation(session, 'subscribe') });
  }
  if (message.type === 'ping') send({ type: 'pong' });
  // Without a subscription the socket is useless: close it, and it is retried later.
  if (message.type === 'error' || message.type === 'complete') return session.socket?.close();
  if (message.type === 'next') {
    session.retries = 0;
    session.failures = 0;
    try {
      compare(session, message.payload);
    } catch {
      return session.socket?.close();
    }
    showConnection(session);
  }
  // The socket counts as live only once its subscription has delivered.
  if (message.type === 'next' || session.heardAt > 0) session.heardAt = Date.now();
}

/** Exponential backoff with jitter: a thousand pages must not reconnect at the same instant. */
function retry(session: Session): void {
  if (isSettled(session)) return;
  const limitMs = Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 2 ** session.retries++);
  session.retryTimer = setTimeout(() => connect(session), limitMs * (0.5 + Math.random() / 2));
}

function disconnect(session: Session): void {
  const socket = session.socket;
  session.socket = null;
  session.heardAt = 0;
  clearTimeout(session.retryTimer);
  if (!socket) return;
  // Closing a socket before it is open would log an error in the browser's console.
  if (socket.readyState === WebSocket.CONNECTING) return void (socket.onopen = () => socket.close());
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ id: '1', type: 'complete' }));
  socket.close();
}
