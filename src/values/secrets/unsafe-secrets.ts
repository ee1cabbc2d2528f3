// Recognises unsafe secrets: placeholders from documents, guessable texts, and the keys of published mnemonics.

/** Placeholders in our own documents, and texts that people type as a stopgap. */
const PLACEHOLDERS = /at-least-32-random|kept-somewhere-else|change.?me|placeholder|example|secret.?secret|12345678/i;
/** Random text, even in hexadecimal, has at least this many different characters all but once in a million times. */
const LEAST_CHARACTERS = 8;

/** Whether an operator's secret looks as if it was not random. */
export function isGuessable(secret: string): boolean {
  return PLACEHOLDERS.test(secret) || new Set(secret).size < LEAST_CHARACTERS;
}

/** The accounts `m/44'/60'/0'` of mnemonics that are printed in documents or built into development chains. */
export const PUBLISHED_XPUBS: ReadonlySet<string> = new Set([
  // "test test … junk", used by anvil and Hardhat.
  'xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP',
  // "abandon … about" and, with 24 words, "abandon … art", from BIP-39.
  'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
  'xpub6DCVMGrdqkJkrRautCvc1Jqpv4hfbyPtSMpZ5KnYDeyggbX3sgFQTT3wjEqF1RtCMazBPhe7gaWYLgEn6qPLhCUddfndnu8Yq6Y3HygJmeu',
  // The mnemonic in our guide.
  'xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V',
]);
