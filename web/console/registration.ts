// Whether anybody may register, which the gateway writes into the page.

export const isRegistrationOpen: boolean =
  document.querySelector('meta[name="turnpike-registration"]')?.getAttribute('content') === 'open';
