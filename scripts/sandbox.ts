// Starts the sandbox with options for developers: `npm run sandbox -- --with-litecoin`.

const ADDED: Readonly<Record<string, string>> = { '--with-litecoin': 'LTC' };

const [unknown] = process.argv.slice(2).filter((word) => !(word in ADDED));
if (unknown !== undefined) {
  process.stderr.write(`Unknown option ${unknown}; available: ${Object.keys(ADDED).join(', ')}\n`);
  process.exit(1);
}
const networks = process.argv.slice(2).map((word) => ADDED[word]);
if (networks.length > 0)
  process.env.SANDBOX_NETWORKS = [process.env.SANDBOX_NETWORKS ?? 'ETH,POLYGON', ...networks].join();
await import('../src/main.ts');
