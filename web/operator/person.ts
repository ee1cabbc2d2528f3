// Which operator is signed in, for the pages that tell what is theirs.

import { createContext, useContext } from 'react';
import type { OperatorQuery } from './generated/operations.ts';

export type OperatorPerson = OperatorQuery['me'];

export const PersonContext = createContext<OperatorPerson | null>(null);

/** The operator of a signed-in page. */
export function usePerson(): OperatorPerson {
  const person = useContext(PersonContext);
  if (!person) throw new Error('Only pages of operators have one');
  return person;
}
