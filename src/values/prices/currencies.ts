// The currencies of prices: those of states, by ISO 4217, and our assets' codes (contract-invoices, section 1). The
// table is ours: a runtime's own list changes with its version, and with it what a price means.

import { ASSETS } from '../assets.ts';

/** ISO 4217 codes without a minor unit. */
const WHOLE = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF';
/** Those with three decimals. */
const THIRDS = 'BHD IQD JOD KWD LYD OMR TND';
/** The others in use, with two. Funds, metals, drawing rights and test codes are no currencies of prices. */
const HUNDREDTHS = `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY
  COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR
  JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO
  NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB
  TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`;

/** A price in a coin is written with eight decimals, one in a stablecoin with six, whatever its network's are. */
const COIN_DECIMALS = 8;
const STABLECOINS: ReadonlySet<string> = new Set(['USDT', 'USDC']);

const listed = (text: string, decimals: number) => text.split(/\s+/).map((code) => [code, decimals] as const);

const FIAT: ReadonlyMap<string, number> = new Map([
  ...listed(WHOLE, 0),
  ...listed(THIRDS, 3),
  ...listed(HUNDREDTHS, 2),
]);

const COINS: ReadonlyMap<string, number> = new Map(
  ASSETS.map(({ currency }) => [currency, STABLECOINS.has(currency) ? 6 : COIN_DECIMALS]),
);

/** Whether the code, in upper case, is a state's currency. */
export const isFiat = (code: string): boolean => FIAT.has(code);

/** Whether the code, in upper case, is a coin's. */
export const isCoinCode = (code: string): boolean => COINS.has(code);

/** The codes of states' currencies, in alphabetical order. */
export const FIAT_CODES: readonly string[] = [...FIAT.keys()].sort();

/** The codes of our assets without their networks, each once. */
export const COIN_CODES: readonly string[] = [...COINS.keys()];

/** How many decimals a price in this currency has; null if nothing can be priced in it. */
export const priceDecimals = (code: string): number | null => FIAT.get(code) ?? COINS.get(code) ?? null;
