// The sandbox's mailbox, as tests read it.

import { graphql } from './clients.ts';
import type { BorrowedGateway } from './gateway/borrowed.ts';

export interface ReadMail {
  /** Its name in the sources, in capitals. */
  readonly template: string;
  readonly subject: string;
  readonly text: string;
}

/** The mails to an address, newest first. */
export async function mailsTo(gateway: Pick<BorrowedGateway, 'url'>, to: string): Promise<readonly ReadMail[]> {
  const document = 'query ($to: String) { sandboxMails(to: $to) { template subject text } }';
  const mails = (await graphql(gateway)(document, { to })).body.data.sandboxMails as readonly ReadMail[];
  return mails.map((mail) => ({ ...mail, template: mail.template.toUpperCase() }));
}

/** The secret in the link of the newest mail to an address. */
export async function secretTo(gateway: Pick<BorrowedGateway, 'url'>, to: string): Promise<string> {
  const [mail] = await mailsTo(gateway, to);
  const secret = /^http\S+#(\S+)$/m.exec(mail?.text ?? '')?.[1];
  if (secret === undefined) throw new Error(`There is no link in a mail to ${to}`);
  return secret;
}
