// Which addresses the payment page links to: a merchant's or chain's text becomes a link only with a scheme we know.

const WALLET_URI = /^(bitcoin|litecoin|ethereum|tron|solana):[\x21-\x7e]+$/i;

/** The link back to the shop, with the host to show before leaving; null unless it is an http(s) URL. */
export function returnLinkOf(returnUrl: string | null): { href: string; host: string } | null {
  if (returnUrl === null || !URL.canParse(returnUrl)) return null;
  const url = new URL(returnUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  // The host as parsed, international names in their ASCII form: neither user info before an @ nor a look-alike name
  // can deceive.
  return { href: url.href, host: url.host };
}

/** The payment URI (BIP-21, EIP-681, Solana Pay) if it may be a link, else null. */
export function walletLinkOf(paymentUri: string): string | null {
  return WALLET_URI.test(paymentUri) ? paymentUri : null;
}

/** A mail to the merchant about a payment; null where there is no address, or not one. */
export function contactLinkOf(supportEmail: string | null, id: string): string | null {
  if (supportEmail === null || !/^[^\s@<>"]+@[^\s@<>"]+$/.test(supportEmail)) return null;
  // The address may have characters that would begin the link's own parameters.
  return `mailto:${encodeURIComponent(supportEmail).replace('%40', '@')}?subject=${encodeURIComponent(id)}`;
}
