// The button of the connection test on the settings page.
(function () {
  'use strict';
  const button = document.getElementById('turnpike-test');
  const result = document.getElementById('turnpike-test-result');
  if (!button || !result) return;

  button.addEventListener('click', async () => {
    button.disabled = true;
    result.textContent = '…';
    try {
      const body = new URLSearchParams({ action: button.dataset.action, nonce: button.dataset.nonce });
      const response = await fetch(button.dataset.url, { method: 'POST', credentials: 'same-origin', body });
      const answer = await response.json();
      result.textContent = answer.data.text;
    } catch {
      result.textContent = '?';
    }
    button.disabled = false;
  });
})();
