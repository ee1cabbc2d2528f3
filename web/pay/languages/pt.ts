// Portuguese.

import type { Messages } from './en.ts';

export const pt: Messages = {
  language: 'Idioma',
  testPayment: 'Pagamento de teste: sem dinheiro real',
  order: 'Pedido {order}',

  labelSend: 'Envie exatamente',
  labelDue: 'Ainda falta',
  labelAmount: 'Valor',
  labelPaid: 'Pago',
  labelReceived: 'Recebido',
  onNetwork: 'na rede {network}',
  timeLeft: 'Tempo restante',
  underAMinute: 'menos de um minuto',
  confirmations: 'Confirmações: {count} de {required}',

  pendingHeading: 'Aguardando o seu pagamento',
  pendingText: 'Leia o código com a sua carteira, ou copie o endereço e o valor. Esta página se atualiza sozinha.',
  partHeading: 'Uma parte do valor chegou',
  partText: 'Recebemos {received}. Envie os {due} restantes para o mesmo endereço.',
  confirmingHeading: 'Pagamento detectado',
  confirmingText:
    '{received} está a caminho e a rede {network} está confirmando. Não é preciso fazer mais nada; pode fechar esta página.',
  lapsedHeading: 'O tempo acabou',
  lapsedText: 'Por favor, não envie nada agora. Se já pagou, deixe esta página aberta: ainda estamos verificando.',
  lapsedSeen: 'Até agora recebemos {received}.',

  succeededHeading: 'Pagamento concluído',
  succeededText: 'Obrigado. {company} recebeu o seu pagamento.',
  overpaidText: 'Obrigado. Você enviou {received}, mais do que os {amount} pedidos.',
  overpaidStep: 'Para receber a diferença de volta, fale com {company} e informe {reference}.',
  lateText: 'Obrigado. O seu pagamento chegou atrasado e {company} o aceitou.',
  partlyRefundedHeading: 'Reembolsado em parte',
  partlyRefundedText: 'O pagamento foi concluído e {company} devolveu uma parte.',
  refundedHeading: 'Reembolsado',
  refundedText: 'O pagamento foi concluído e {company} devolveu o dinheiro.',
  refundStep: 'Se tiver dúvidas sobre o reembolso, fale com {company} e informe {reference}.',

  failedHeading: 'O pagamento não foi concluído',
  underpaidText: 'O tempo acabou antes de chegar o valor completo: recebemos {received} de {amount}.',
  underpaidStep: 'Para concluir o pagamento ou receber o dinheiro de volta, fale com {company} e informe {reference}.',
  unconfirmedText:
    'A sua transferência foi vista, mas a rede {network} não a confirmou a tempo. Ela ainda pode ser confirmada; nesse caso, esta página avisará.',
  unconfirmedStep: 'Veja a transferência na sua carteira. Não a envie de novo.',
  reorgedText: 'A rede {network} removeu a sua transferência depois de confirmada. Isso é raro e não é culpa sua.',
  reorgedStep: 'Veja a transferência na sua carteira antes de pagar de novo.',
  helpStep: 'Se precisar de ajuda, fale com {company} e informe {reference}.',
  doNotSend: 'Por favor, não envie mais nada para este endereço.',

  expiredHeading: 'Este pagamento expirou',
  expiredText: 'O prazo para pagar terminou.',
  canceledHeading: 'Este pagamento foi cancelado',
  canceledText: '{company} cancelou este pagamento.',
  arrivedAfterwards: 'Depois disso recebemos {received}.',
  notLostStep: 'O seu dinheiro não se perdeu: fale com {company} e informe {reference}.',
  startAgainStep: 'Para pagar, volte a {company} e comece de novo: você receberá outro endereço.',
  alreadyPaidStep: 'Se já pagou, fale com {company} e informe {reference}.',

  whatYouCanDo: 'O que você pode fazer',
  howToPay: 'Como pagar',
  qrLabel: 'Código QR para pagar {amount} na rede {network}',
  openInWallet: 'Abrir na carteira',
  addressLabel: 'Endereço na rede {network}',
  exactAmount: 'Valor exato',
  warning:
    'Envie somente {currency}, e somente pela rede {network}. Qualquer outra coisa enviada para este endereço pode se perder. As taxas da rede se somam ao valor.',
  severalNetworks: '{currency} existe em várias redes: escolha {network} na sua carteira ou corretora.',
  copy: 'Copiar',
  copyAddress: 'Copiar o endereço',
  copyAmount: 'Copiar o valor',
  copied: 'Copiado',
  selected: 'Marcado',
  returnTo: 'Voltar para {host}',

  helpSummary: 'Algo deu errado?',
  tooLittle: 'Enviei de menos',
  tooLittleText:
    'Enquanto houver tempo, envie o que falta para o mesmo endereço; duas transferências valem tanto quanto uma.',
  tooLate: 'Enviei tarde, ou a mais',
  tooLateText: 'O dinheiro chegou a {company} e não se perdeu. Peça que concluam o pagamento ou o devolvam.',
  wrongNetwork: 'Usei outra rede ou outra moeda',
  wrongNetworkText: 'Não envie de novo. Só {company} pode dizer se é possível recuperar.',
  helpReference:
    'Em todos os casos, informe a {company} a referência abaixo e o identificador da transação mostrado na sua carteira.',
  reference: 'Referência do pagamento',
  offline: 'A conexão caiu. O que você vê pode estar desatualizado; será atualizado assim que a conexão voltar.',

  notFoundHeading: 'Este pagamento não existe',
  notFoundText: 'O endereço desta página pode estar incompleto. Abra de novo o link que recebeu, ou volte à loja.',
  errorHeading: 'Esta página não pode ser mostrada agora',
  errorText: 'Se já pagou, o seu pagamento não se perdeu. Carregue a página de novo em um minuto.',
  errorReference: 'Se continuar assim, informe à loja esta referência: {reference}',
};
