// Who may register; the gateway writes it into the page.

const mode = document.querySelector('meta[name="turnpike-registration"]')?.getAttribute('content');

export const isRegistrationOpen: boolean = mode === 'open';

/** Nobody registers, by an invitation neither. */
export const isRegistrationClosed: boolean = mode === 'closed';
