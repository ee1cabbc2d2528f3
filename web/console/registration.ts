// Whether registration is open; the gateway writes it into the page.

export const isRegistrationOpen: boolean =
  document.querySelector('meta[name="turnpike-registration"]')?.getAttribute('content') === 'open';
