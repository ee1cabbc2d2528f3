// Checks the address that callers use, and the certificates: of what answers there, and of this process.

import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Examination } from './examination.ts';
import { fault, ok, orOk, reasonOf, showDuration, warning, type Finding } from './finding.ts';
import { getPage, type Page } from './http.ts';
import { isRunning } from './process.ts';

const DAY_MS = 86_400_000;
/** Programs that renew certificates do so long before. */
const SOON_MS = 14 * DAY_MS;
const VERY_SOON_MS = 3 * DAY_MS;
const RENEW = 'renew it, and look at what should have renewed it';
/** Public, small, and known to no proxy of another program. */
const PATH = '/api/v1/currencies';

/** How much longer a certificate is valid; null if that is long enough. */
export function judgeEnd(what: string, validTo: Date, now: Date): Finding | null {
  const leftMs = validTo.getTime() - now.getTime();
  const day = validTo.toISOString().slice(0, 10);
  if (leftMs <= 0) return fault(`${what} ended on ${day}`, RENEW);
  const text = `${what} ends on ${day}, in ${showDuration(leftMs)}`;
  if (leftMs <= VERY_SOON_MS) return fault(text, RENEW);
  return leftMs <= SOON_MS ? warning(text, RENEW) : null;
}

export async function checkBaseUrl(examination: Examination): Promise<Finding[]> {
  const { config, now } = examination;
  const url = config.baseUrl + PATH;
  let page: Page;
  try {
    page = await getPage(url);
  } catch (error) {
    const found = `${config.baseUrl} does not answer from here: ${reasonOf(error)}`;
    const remedy = 'look at its DNS name, at the proxy, and at the firewall (docs/operations/network.md)';
    // Where this process does not run, the address may have nobody behind it yet.
    return [(await isRunning(config)) ? fault(found, remedy) : warning(found, `start the gateway; else ${remedy}`)];
  }
  const { certificate } = page;
  const judged = certificate && judgeEnd(`the certificate of ${config.baseUrl}`, certificate.validTo, now());
  const until = certificate ? `; its certificate is valid until ${certificate.validTo.toISOString().slice(0, 10)}` : '';
  return orOk(
    [judged, judgeTrust(config.baseUrl, judged ? null : certificate), judgeAnswer(config.baseUrl, page)],
    `${config.baseUrl} answers${until}`,
  );
}

function judgeTrust(url: string, certificate: Page['certificate']): Finding | null {
  if (!certificate?.problem) return null;
  return fault(
    `the certificate of ${url} is not trusted: ${certificate.problem}`,
    'serve the whole chain for that name; for an authority of your own, set NODE_EXTRA_CA_CERTS here',
  );
}

function judgeAnswer(url: string, { status, headers, body }: Page): Finding | null {
  if (status === 200) return null;
  if (headers['x-request-id'] === undefined)
    return fault(
      `${url} is not answered by Turnpike: HTTP ${String(status)} to ${PATH}`,
      'let the proxy forward it to a process with the api role (deploy/haproxy/haproxy.cfg is an example)',
    );
  if (/"1008"/.test(body))
    return fault(
      `${url} answers 1008: the gateway does not know that it was called over HTTPS`,
      'let the proxy set X-Forwarded-Proto, and name the proxy in TRUST_PROXY',
    );
  return fault(`${url} answers HTTP ${String(status)} to ${PATH}`, "look at the gateway's log");
}

/** The certificate that this process serves itself. */
export async function checkCertificate({ config, now }: Examination): Promise<Finding[]> {
  const { tls, baseUrl } = config;
  if (tls === null) return [ok('it has none: a proxy has it, or the sandbox needs none')];
  const certificate = await readFile(tls.certPath).then((pem) => new X509Certificate(pem));
  const validTo = new Date(certificate.validTo);
  const { hostname } = new URL(baseUrl);
  const isForHost =
    (isIP(hostname) > 0 ? certificate.checkIP(hostname) : certificate.checkHost(hostname)) !== undefined;
  const { mode } = await stat(tls.keyPath);
  return orOk(
    [
      judgeEnd('TLS_CERT_PATH', validTo, now()),
      isForHost ? null : fault(`TLS_CERT_PATH is not for ${hostname}`, 'get one for the name in BASE_URL'),
      (mode & 0o007) === 0
        ? null
        : warning(`TLS_KEY_PATH can be read by everyone here`, `run: chmod o= ${tls.keyPath}`),
    ],
    `TLS_CERT_PATH is for ${hostname}, valid until ${validTo.toISOString().slice(0, 10)}`,
  );
}
