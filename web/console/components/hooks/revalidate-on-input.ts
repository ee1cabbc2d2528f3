// Validates a field with an error again on each input.

import type { FormEvent } from 'react';

/**
 * For `onInput`. A field judges itself when it is left, and that is when a button is pressed: the fault would go, and
 * the button move away from under the press. So what was found wrong goes while it is mended.
 */
export function revalidateOnInput({ currentTarget: input }: FormEvent<HTMLInputElement | HTMLTextAreaElement>): void {
  if (input.hasAttribute('data-invalid')) input.dispatchEvent(new Event('change', { bubbles: true }));
}
