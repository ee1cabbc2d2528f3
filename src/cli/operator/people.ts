// operator grant, revoke, reset-factors: makes a person an operator, takes it from them, and takes lost factors away.

import { resetFactors } from '../../domain/operator/factors.ts';
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

export const reset: Command = {
  usage: [
    'reset-factors EMAIL',
    'takes all second factors and recovery codes from somebody who has lost them, and ends their sessions;',
    'first make sure that it is them who ask: this program cannot tell',
  ],
  names: 1,
  async run({ operator, config, say }, { names: [email = ''] }) {
    const { sendsMail = false } = operator.deps;
    const rules = { payoutHoldMs: config.payoutHoldHours * 3_600_000, sendsMail };
    const { personId, factors, endedSessions } = await resetFactors(operator, rules, email);
    say(
      `${email} (${personId}) has no second factor; removed: ${String(factors)}, sessions ended: ${String(endedSessions)}`,
    );
  },
};
