// A button in one of four looks; one that is pending says so and takes no second press.

import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children'> {
  readonly look?: 'main' | 'quiet' | 'danger' | 'link';
  readonly children: ReactNode;
}

export function Button({ look = 'main', isPending = false, children, ...rest }: ButtonProps): ReactNode {
  return (
    <AriaButton {...rest} isPending={isPending} className={`button ${look}`}>
      {children}
      {isPending && <span className="spinner" aria-hidden="true" />}
    </AriaButton>
  );
}
