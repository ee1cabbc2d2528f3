// A button in one of four styles; while pending, it says so and ignores further presses.

import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children'> {
  readonly look?: 'main' | 'quiet' | 'danger' | 'link';
  readonly children: ReactNode;
}

export function Button({ look = 'main', isPending = false, children, ...rest }: ButtonProps): ReactNode {
  // A field that loses the focus clears its error, and the button would then move away from under the pointer and miss
  // the press. So a submit button does not take the focus.
  const isSubmit = rest.type === 'submit';
  return (
    <AriaButton {...rest} preventFocusOnPress={isSubmit} isPending={isPending} className={`button ${look}`}>
      {children}
      {isPending && <span className="spinner" aria-hidden="true" />}
    </AriaButton>
  );
}
