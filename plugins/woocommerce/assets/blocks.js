// Offers Turnpike in the checkout block. Texts come from the server as plain text.
(function (wc, wp) {
  'use strict';
  const { createElement } = wp.element;
  const { decodeEntities } = wp.htmlEntities;
  const settings = wc.wcSettings.getSetting('turnpike_data', {});
  const title = decodeEntities(settings.title || 'Turnpike');
  const Content = () => createElement('div', null, decodeEntities(settings.description || ''));

  wc.wcBlocksRegistry.registerPaymentMethod({
    name: 'turnpike',
    label: createElement('span', null, title),
    ariaLabel: title,
    content: createElement(Content, null),
    edit: createElement(Content, null),
    canMakePayment: () => true,
    supports: { features: settings.supports || ['products'] },
  });
})(window.wc, window.wp);
