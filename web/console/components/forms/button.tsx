// A button in one of four styles; while pending, it says so and ignores further presses.

import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children'> {
  readonly look?: 'main' | 'quiet' | 'danger' | 'link';
  readonly children: ReactNode;
}

export function Button({ look = 'main', isPending = false, children, ...rest }: ButtonProps): ReactNode {
  // A field that is left takes back what was wrong with it: the button would move away from under the pointer, and miss
  // its own press. So what sends a form leaves the focus where it is.
  const isSubmit = rest.type === 'submit';
  return (
    <AriaButton {...rest} preventFocusOnPress={isSubmit} isPending={isPending} className={`button ${look}`}>
      {children}
      {isPending && <span className="spinner" aria-hidden="true" />}
    </AriaButton>
  );
}
