// Secrets that are none: what documents show in their place, what can be guessed, and keys whose words are printed.

/** What our own documents show in place of a secret, and what people type when they mean to come back to it. */
const PLACEHOLDERS = /at-least-32-random|kept-somewhere-else|change.?me|placeholder|example|secret.?secret|12345678/i;
/** Random text has more different characters, even in hexadecimal, but for once in a million. */
const LEAST_CHARACTERS = 8;

/** Whether a secret of the operator's looks like one that was not drawn by chance. */
export function isGuessable(secret: string): boolean {
  return PLACEHOLDERS.test(secret) || new Set(secret).size < LEAST_CHARACTERS;
}

/** The accounts `m/44'/60'/0'` of mnemonics that are printed in documents and built into development chains. */
export const PUBLISHED_XPUBS: ReadonlySet<string> = new Set([
  // "test test … junk", of anvil and Hardhat.
  'xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP',
  // "abandon … about" and, of 24 words, "abandon … art", of BIP-39.
  'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
  'xpub6DCVMGrdqkJkrRautCvc1Jqpv4hfbyPtSMpZ5KnYDeyggbX3sgFQTT3wjEqF1RtCMazBPhe7gaWYLgEn6qPLhCUddfndnu8Yq6Y3HygJmeu',
  // What the guide shows.
  'xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V',
]);
