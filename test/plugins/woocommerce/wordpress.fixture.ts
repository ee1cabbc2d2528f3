// Debian's WordPress in a folder of the test's own, with Turnpike's plugin and WooCommerce: a double of the classes
// that the plugin meets, or the real one, if WOOCOMMERCE_ZIP is the path of its zip.

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../support/sources.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { startMariaDb, type MariaDb } from './mariadb.fixture.ts';

const DEBIANS = '/usr/share/wordpress';
const HERE = join(ROOT, 'test/plugins/woocommerce');
const PROGRAMS = ['mariadbd', 'mariadb-install-db', 'php'];

/** Whether what .ci/steps installs for these tests is here. */
export const isWordPressHere =
  existsSync(DEBIANS) && PROGRAMS.every((name) => existsSync(`/usr/bin/${name}`) || existsSync(`/usr/sbin/${name}`));

/** An order as the shop sees it. */
export interface ShopOrder {
  readonly status: string;
  readonly transactionId: string;
  readonly isPaid: boolean;
  readonly method: string;
  readonly invoice: string;
  /** Without markup, oldest first. */
  readonly notes: readonly string[];
}

export interface Shop {
  /** Without a trailing slash. */
  readonly url: string;
  readonly checkoutUrl: string;
  /** Puts a product into the cart. */
  readonly addToCartUrl: string;
  /** The address that the plugin has the gateway post to. */
  readonly webhookUrl: string;
  order(id: number): Promise<ShopOrder>;
  /** Runs a command of shop.php, and returns what it printed as JSON. */
  run(command: string, ...args: readonly string[]): Promise<unknown>;
  /** WooCommerce's log, and PHP's. */
  logs(): string;
  stop(): Promise<void>;
}

/** Installs and starts a shop; resolves when it answers. */
export async function startShop(): Promise<Shop> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-shop-'));
  const site = join(folder, 'site');
  let database: MariaDb | null = null;
  let server: ChildProcess | null = null;
  const stop = async (): Promise<void> => {
    await endGroup(server);
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    database = await startMariaDb(folder);
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    await copySite(site, database.socket, url);
    const run = async (command: string, ...args: readonly string[]): Promise<unknown> => {
      const script = [join(HERE, 'shop.php'), site, command, ...args];
      const { stdout } = await promisify(execFile)('php', ['-d', 'display_errors=stderr', ...script]);
      return JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1));
    };
    await run('install', url);
    await run('activate');
    const about = (await run('products')) as Pick<Shop, 'checkoutUrl' | 'addToCartUrl' | 'webhookUrl'>;
    server = await serve(site, port);
    const order = async (id: number) => (await run('order', String(id))) as ShopOrder;
    const read = (path: string) => (existsSync(join(site, path)) ? readFileSync(join(site, path), 'utf8') : '');
    const logs = () => read('wp-content/wc.log') + read('wp-content/debug.log');
    return { url, ...about, order, run, logs, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Debian keeps parts of it elsewhere and links to them: here all is one folder, and nothing of the machine is changed.
 */
async function copySite(site: string, socket: string, url: string): Promise<void> {
  await promisify(execFile)('cp', ['-rL', DEBIANS, site]);
  const plugins = join(site, 'wp-content/plugins');
  cpSync(join(ROOT, 'plugins/woocommerce'), join(plugins, 'turnpike-for-woocommerce'), { recursive: true });
  const zip = process.env['WOOCOMMERCE_ZIP'];
  if (zip === undefined) cpSync(join(HERE, 'double'), join(plugins, 'woocommerce'), { recursive: true });
  else await promisify(execFile)('unzip', ['-q', zip, '-d', plugins]);
  writeFileSync(join(site, 'wp-config.php'), configOf(socket, url));
}

const configOf = (socket: string, url: string): string => `<?php
define('DB_NAME', 'shop');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:${socket}');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_HOME', '${url}');
define('WP_SITEURL', '${url}');
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('WP_ACCESSIBLE_HOSTS', '127.0.0.1');
define('WP_DEBUG', true);
define('WP_DEBUG_DISPLAY', false);
define('WP_DEBUG_LOG', true);
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
    define($name . '_KEY', 'key of a test ' . $name);
    define($name . '_SALT', 'salt of a test ' . $name);
}
$table_prefix = 'wp_';
if (!defined('ABSPATH')) { define('ABSPATH', __DIR__ . '/'); }
require_once ABSPATH . 'wp-settings.php';
`;

/** PHP's own web server with workers, so that a shop can be asked while it asks the gateway. */
async function serve(site: string, port: number): Promise<ChildProcess> {
  const env = { ...process.env, PHP_CLI_SERVER_WORKERS: '4' };
  const args = ['-q', '-d', 'display_errors=0', '-S', `127.0.0.1:${port}`, '-t', site];
  const server = spawn('php', args, { env, stdio: 'ignore', detached: true });
  await until(() =>
    fetch(`http://127.0.0.1:${port}/wp-login.php`).then(
      () => true,
      () => false,
    ),
  );
  return server;
}

/** The workers outlive the first process: all of its group are ended. */
async function endGroup(server: ChildProcess | null): Promise<void> {
  if (server?.pid === undefined || server.exitCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  process.kill(-server.pid, 'SIGKILL');
  await ended;
}
