// Where posts to a URL go, judged once for each of the URLs that were used last: a judgement takes as long as a signature.

import { readWebhookUrl, type WebhookUrlRefusal } from '../../values/internet/webhook-url.ts';

/** As undici takes it. */
export interface Target {
  readonly origin: string;
  readonly path: string;
}

/** URLs remembered; of more, those that came first are forgotten. */
const MOST_KNOWN = 1_000;

/** Makes the judge. It remembers what it allowed; a name is judged again when it is connected to. */
export function createKnownTargets(rules: {
  readonly allowPrivate: boolean;
}): (url: string) => Target | WebhookUrlRefusal {
  const known = new Map<string, Target>();
  return (text) => {
    const remembered = known.get(text);
    if (remembered) return remembered;
    const url = readWebhookUrl(text, rules);
    if (!(url instanceof URL)) return url;
    const target = { origin: url.origin, path: url.pathname + url.search };
    known.set(text, target);
    const [first] = known.keys();
    if (known.size > MOST_KNOWN && first !== undefined) known.delete(first);
    return target;
  };
}
