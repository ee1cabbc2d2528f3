// operator grant, revoke: makes a person an operator, who signs in as one, and takes it from them.

import { setOperator } from '../../domain/operator/sessions.ts';
import type { Command } from './command.ts';

export const grant: Command = {
  usage: ['grant EMAIL', 'makes the person with this e-mail address an operator, who can sign in as one'],
  names: 1,
  async run({ operator, say }, { names: [email = ''] }) {
    const { personId, changed } = await setOperator(operator, email, true);
    say(`${email} (${personId}) is an operator${changed ? '' : ' already; nothing is changed'}`);
  },
};

export const revoke: Command = {
  usage: ['revoke EMAIL', 'takes that from them; their sessions as an operator end at once'],
  names: 1,
  async run({ operator, say }, { names: [email = ''] }) {
    const { personId, endedSessions } = await setOperator(operator, email, false);
    say(`${email} (${personId}) is no operator; sessions ended: ${String(endedSessions)}`);
  },
};
