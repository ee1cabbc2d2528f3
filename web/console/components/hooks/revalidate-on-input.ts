// Validates a field with an error again on each input.

import type { FormEvent } from 'react';

/**
 * For `onInput`. A field validates when it loses the focus, which happens when a button is pressed: the error would
 * disappear, and the button move away from under the press. So an error is cleared while the user corrects it.
 */
export function revalidateOnInput({ currentTarget: input }: FormEvent<HTMLInputElement | HTMLTextAreaElement>): void {
  if (input.hasAttribute('data-invalid')) input.dispatchEvent(new Event('change', { bubbles: true }));
}
