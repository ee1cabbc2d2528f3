// The payment page's style sheet: system fonts, light and dark, from 320 px to a desktop. Contrasts meet WCAG 2.2 AA.

import { TOKENS } from '../../src/values/look/tokens.ts';

const FRAME = `
*{box-sizing:border-box}
[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;padding-bottom:1.5rem;background:var(--page);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
:lang(ja){word-break:auto-phrase;line-break:strict}
p,li,dd{text-wrap:pretty}
h1,h2,p,ul,ol,dl,dd{margin:0}
h1{font:inherit}
h1 span{display:block}
h2{font-size:1rem}
ul{padding-inline-start:1.125rem;font-size:.9375rem}
li{margin-top:.25rem}
a{color:var(--accent)}
summary{cursor:pointer;color:var(--accent);padding:.25rem 0}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:.375rem}
.test{padding:.375rem 1rem;text-align:center;background:var(--test-tint);color:var(--test);font-size:.8125rem;font-weight:600}
main,.head,.note{width:min(52rem,100% - 1.5rem);margin:0 auto}
.head{display:flex;gap:.5rem 1rem;align-items:center;justify-content:space-between;padding:.75rem .25rem}
.merchant{display:grid;gap:.25rem;min-width:0}
.logo{max-width:10rem;height:2rem;object-fit:contain;object-position:left;border-radius:.25rem}
html[dir=rtl] .logo{object-position:right}
.company{font-weight:600;font-size:1.0625rem}
.company bdi{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
html[dir=rtl] header bdi{text-align:right}
.languages{position:relative;flex:none;font-size:.875rem}
.languages summary{display:flex;align-items:center;gap:.375rem;min-height:2rem;padding:.25rem .625rem;border:1px solid var(--line);border-radius:1rem;color:var(--soft);list-style:none;white-space:nowrap}
.languages summary::-webkit-details-marker{display:none}
.languages summary::after{content:"";width:.375rem;height:.375rem;margin-top:-.25rem;border:solid currentColor;border-width:0 1.5px 1.5px 0;transform:rotate(45deg)}
.languages ul{position:absolute;inset-inline-end:0;z-index:2;margin-top:.25rem;padding:.375rem;list-style:none;min-width:9rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem;box-shadow:0 .5rem 1.5rem rgb(0 0 0/.18)}
.languages li{margin:0}
.languages a{display:block;padding:.375rem .625rem;border-radius:.5rem;color:var(--ink);text-decoration:none}
.languages a:hover,.languages a[aria-current]{background:var(--sunken)}
.languages a[aria-current]{font-weight:600}
main{display:flex;flex-direction:column;gap:1.25rem;padding:1.125rem;background:var(--card);border:1px solid var(--line);border-radius:1rem;box-shadow:var(--shadow)}
main:focus{outline:0}
[data-part]{min-width:0}
[data-part]:empty{display:none}
.note{margin-top:1rem;padding:.75rem 1rem;border-radius:.75rem;background:var(--test-tint);color:var(--test)}
.button,button{display:inline-block;min-height:2.75rem;padding:.5625rem 1rem;border:1px solid transparent;border-radius:.5rem;font:inherit;font-weight:600;text-align:center;cursor:pointer}
button{border-color:var(--edge);background:transparent;color:var(--ink)}
.button{background:var(--accent);border-color:transparent;color:var(--on-accent);text-decoration:none}
.button.outlined{background:transparent;border-color:var(--edge);color:var(--ink)}
.hint{color:var(--soft);font-size:.875rem}
.hint:empty{display:none}
`;

const STATE = `
.label{color:var(--soft);font-size:.875rem}
[data-part=amount]{display:flex;gap:1rem;align-items:flex-start;justify-content:space-between}
[data-part=amount]>div:first-child{flex:1;min-width:0}
.purpose{display:flex;flex-wrap:wrap;gap:0 .75rem;color:var(--soft);font-size:.9375rem}
.product{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
.product summary{color:inherit;padding:0;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.product[open] summary{white-space:normal}
details.product{display:block}
h1{margin-top:.25rem}
.amount{font-size:clamp(1.625rem,7.5vw,2.125rem);font-weight:700;line-height:1.2;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
h1 .currency{display:inline;font-size:.7em;letter-spacing:0}
.amount.long{font-size:clamp(1.125rem,5.5vw,2.125rem)}.amount.longest{font-size:clamp(1rem,4.4vw,1.75rem)}
h1 .network{width:fit-content;margin-top:.25rem;padding:.125rem .625rem;border:1px solid var(--line);border-radius:1rem;font-size:.9375rem;font-weight:600}
.worth{font-weight:600}
.clock{flex:none;display:grid;justify-items:center;gap:.25rem;width:4.75rem;text-align:center}
.clock .label{order:1;font-size:.75rem;line-height:1.25}
.clock svg,.clock time{grid-area:1/1}
.clock time{position:relative;align-self:center;font-size:.8125rem;font-weight:600;font-variant-numeric:tabular-nums}
.ring{width:4rem;height:4rem;fill:none;stroke:var(--line);stroke-width:4;transform:rotate(-90deg)}
.ring .left{stroke:var(--accent)}
[data-part=track]{padding-bottom:1.125rem;margin-inline:-1.125rem;padding-inline:1.125rem;border-bottom:1px solid var(--line)}
.track{display:grid;grid-template-columns:repeat(3,1fr);gap:.5rem;padding:0;list-style:none;color:var(--soft);font-size:.8125rem;font-weight:600}
.track li{position:relative;margin:0;padding-top:.5rem}
.track li::before,.track progress{content:"";position:absolute;inset:0 0 auto;width:100%;height:.25rem;border-radius:.25rem;background:var(--line)}
.track [aria-current]{color:var(--ink)}
.track .done::before,.track [aria-current]:not(:has(progress))::before{background:var(--accent)}
.confirmations{display:flex;flex-wrap:wrap;gap:0 1rem;justify-content:space-between;margin-top:.5rem;color:var(--soft);font-size:.875rem;font-variant-numeric:tabular-nums}
progress{display:block;border:0;border-radius:.25rem;overflow:hidden;appearance:none;background:var(--line);color:var(--accent)}
progress::-webkit-progress-bar{background:var(--line)}
progress::-webkit-progress-value{background:var(--accent)}
progress::-moz-progress-bar{background:var(--accent)}
.share{width:100%;height:.5rem;margin-bottom:.5rem}
.status{display:grid;grid-template-columns:1.5rem minmax(0,1fr);gap:.125rem .5rem;padding:.75rem .875rem;border-radius:.75rem;background:var(--tint);--tone:var(--accent)}
.status.stop{background:var(--warn-tint);--tone:var(--warn)}
.status p{grid-column:1/-1}
.status svg{width:1.5rem;height:1.5rem;fill:var(--tone)}
.status .line{fill:none;stroke:var(--tone);stroke-width:2.5;stroke-linecap:round;stroke-linejoin:round}
.heading{font-size:1rem;font-weight:700;line-height:1.5rem}
.status .heading{color:var(--tone)}
.status.calm{padding:0;background:none;font-size:.9375rem}
.calm p{color:var(--soft)}
main:has(.calm) [data-part=status]{order:1}
main:has(.calm) :is([data-part=other],[data-part=actions],[data-part=help]){order:2}
.status.good{grid-template-columns:1fr;justify-items:center;gap:.5rem;padding:.5rem 0 0;background:none;text-align:center;--tone:var(--good)}
.good svg{width:4rem;height:4rem;padding:1rem;border-radius:50%;background:var(--good-tint)}
.good .heading{font-size:1.375rem;line-height:1.3;color:var(--ink)}
main:has(.good) [data-part=status]{order:-1}
main:has(.good) [data-part=amount]{text-align:center}
main:has(.good) h1 .network{margin-inline:auto}
main.message .heading{font-size:1.375rem;line-height:1.3}
main.message{gap:.5rem}
dl>div{display:flex;flex-wrap:wrap;gap:0 1rem;justify-content:space-between;padding:.375rem 0;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums}
dl>div:last-child{border-bottom:0}
[data-part=facts] dl>div:last-child{font-weight:600}
dt{color:var(--soft)}
.receipt{font-size:.9375rem}
.receipt dd{display:flex;flex-wrap:wrap;gap:0 .75rem;text-align:end}
.receipt .whole{display:none}
[data-part=steps] code{color:inherit;font-size:.8em;user-select:all}
`;

const PAY = `
.pay{display:grid;gap:1.25rem}
.ways{display:grid;gap:1rem;align-content:start;min-width:0;margin:0;padding:0;border:0}
.tabs{display:grid;grid-template-columns:1fr 1fr;padding:.25rem;border-radius:.625rem;background:var(--sunken)}
.tabs label{display:grid;place-items:center;min-height:2.75rem;padding:.25rem .625rem;border-radius:.5rem;color:var(--soft);font-weight:600;text-align:center;cursor:pointer}
.tabs :focus-visible+label{outline:3px solid var(--accent);outline-offset:2px}
.code{display:grid;gap:.75rem;justify-items:center}
.qr{display:block;width:min(100%,15rem);height:auto;border-radius:.5rem;border:1px solid var(--line)}
.codes{display:flex;flex-wrap:wrap;gap:.75rem 0;width:min(100%,15rem);margin:0;padding:0;border:0}
.codes label{display:grid;place-items:center;flex:1 1 auto;min-height:2.75rem;padding:.25rem .625rem;border:1px solid var(--edge);font-size:.875rem;text-align:center;cursor:pointer}
.codes label:first-of-type{border-start-start-radius:.5rem;border-end-start-radius:.5rem}
.codes label:last-of-type{border-start-end-radius:.5rem;border-end-end-radius:.5rem;margin-inline-start:-1px}
.codes :checked+label{background:var(--tint);border-color:var(--accent);color:var(--accent);font-weight:600;position:relative}
.codes :focus-visible+label{outline:3px solid var(--accent);outline-offset:2px}
.codes div{flex:1 0 100%}
#code-address:checked~.of-amount,#code-amount:checked~.of-address{display:none}
.wallets{display:grid;gap:.75rem;width:100%}
.links{display:grid;grid-template-columns:repeat(auto-fit,minmax(6rem,1fr));gap:.75rem}
.wallet{display:grid;place-items:center;gap:.25rem;min-height:4.5rem;padding:.5rem;border:1px solid var(--line);border-radius:.75rem;color:var(--ink);font-size:.875rem;font-weight:600;text-decoration:none}
.wallet::before{content:attr(data-mark);display:grid;place-items:center;width:2rem;height:2rem;border-radius:.5rem;background:var(--tint);color:var(--accent);font-size:1rem}
.wallet:hover{border-color:var(--accent)}
.links+.button{background:transparent;border-color:var(--edge);color:var(--ink)}
#browser-wallets{order:-1}
#browser-wallets,.buttons{display:grid;gap:.5rem}
.buttons .button{display:flex;gap:.5rem;align-items:center;justify-content:center}
.wallets:has(#browser-wallets:not([hidden]))>.button{background:transparent;border-color:var(--edge);color:var(--ink)}
.buttons:empty{display:none}
.fields{display:grid;gap:.75rem;align-content:start;min-width:0}
.field{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:0 .75rem;align-items:center;padding:.625rem .875rem;border:1px solid var(--line);border-radius:.75rem}
.field .label{grid-column:1}
.field .value{grid-column:1;line-height:1.6}
.field button{grid-area:1/2/span 2;min-width:4.5rem}
[data-copy]::after{content:attr(data-done)"\\a"attr(data-manual)/"";display:block;height:0;overflow:hidden;visibility:hidden;white-space:pre}
html:not(.js) :is([data-copy],[data-print]){visibility:hidden}
@media(scripting:none){html :is([data-copy],[data-print],.tabs){display:none}.field .value,.field .label{grid-column:1/-1}}
code{font:.9375rem/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
.value code{user-select:all}
#address :is(span,b){display:inline-block;margin-inline-end:.45ch;max-width:100%}
#address b{color:var(--accent);font-weight:600}
.warning{padding:.625rem .875rem;border-radius:.75rem;background:var(--warn-tint);font-size:.9375rem}
.warning summary{display:flex;flex-wrap:wrap;gap:0 1rem;justify-content:space-between;padding:0;color:var(--ink);font-weight:600;list-style:none}
.warning summary::-webkit-details-marker{display:none}
.why{color:var(--warn);text-decoration:underline}
.warning p{margin-top:.375rem}
.bar{display:none}
.actions{display:grid;gap:.75rem}
.return{display:grid;text-align:center}
.quiet{justify-self:center}
.stay{justify-self:center;min-height:2rem;padding:.125rem .75rem;border:0;color:var(--soft);font-size:.875rem;font-weight:400;text-decoration:underline}
[data-part=other] .return{display:block}
.help{margin:.5rem 0 .75rem}
.help dt{color:var(--ink);font-weight:600}
.help dd{margin-bottom:.625rem}
.reference{margin-top:.5rem;color:var(--soft);font-size:.875rem}
.reference code{font-size:.8125rem;color:var(--ink);user-select:all}
[data-part=help]{padding-top:1rem;border-top:1px solid var(--line)}
`;

const CHOICES = `
.choices{display:grid;gap:.5rem;padding:0;list-style:none;font-size:1rem}
.choices li{margin:0}
.choices a,.choices button,.closed{display:flex;flex-wrap:wrap;gap:.125rem 1rem;align-items:center;justify-content:space-between;width:100%;min-height:3rem;padding:.625rem .875rem;border:1px solid var(--edge);border-radius:.75rem;color:var(--ink);font-weight:400;text-align:start;text-decoration:none}
.choices a:hover,.choices button:hover{background:var(--sunken);border-color:var(--accent)}
.choices span,.choices small{color:var(--soft);font-size:.875rem;font-weight:400;font-variant-numeric:tabular-nums}
.choices strong{flex:1 1 8rem}
.closed{border-style:dashed;border-color:var(--line);color:var(--soft)}
[data-part=choose] .button{display:block;width:100%}
.fill{display:grid;gap:1rem}
.entry{display:grid;gap:.25rem}
.entry label{font-weight:600}
.entry small{color:var(--soft);font-size:.875rem;font-weight:400}
.entry input,.entry textarea{width:100%;min-height:2.75rem;padding:.5rem .75rem;border:1px solid var(--edge);border-radius:.5rem;background:var(--card);color:var(--ink);font:inherit}
.entry [aria-invalid=true]{border-color:var(--warn)}
.fault{color:var(--warn);font-size:.875rem}
`;

/**
 * A phone shows the code or the wallets; which at first depends on what points at it. A wide screen has room for all.
 */
const SIZES = `
@media(max-width:43.99rem){
.ways:has(#way-code:checked) .wallets,.ways:has(#way-wallet:checked) .code{display:none}
.tabs :checked+label{background:var(--card);color:var(--ink);box-shadow:0 0 0 1px var(--line),0 1px 2px rgb(0 0 0/.16)}
}
@media(max-width:43.99rem) and (pointer:coarse) and (scripting:enabled){
.ways:has(.tabs):not(:has([name=way]:checked)) .code{display:none}
html.js .bar{display:grid;grid-template-columns:1fr 1fr;gap:.75rem;position:sticky;bottom:0;z-index:1;margin:1rem -1.125rem -1.125rem;padding:.625rem 1.125rem;background:var(--card);border-top:1px solid var(--line)}
.bar button:last-child{background:var(--accent);border-color:transparent;color:var(--on-accent)}
}
@media(max-width:43.99rem) and (pointer:fine) and (scripting:enabled){.ways:not(:has([name=way]:checked)) .wallets{display:none}}
@media(pointer:fine){.links{display:none}.links+.button{background:var(--accent);color:var(--on-accent)}}
@media(min-width:44rem){
body{padding-bottom:2.5rem}
.head{padding:1.25rem .25rem}
main{gap:1.5rem;padding:1.75rem}
[data-part=track]{margin-inline:-1.75rem;padding-inline:1.75rem}
.tabs{display:none}
.pay{grid-template-columns:15rem minmax(0,1fr);gap:2rem}
main:has(.good){width:min(32rem,100% - 1.5rem)}
}
@media print{
.languages,.choices,.pay,.bar,.actions,.track,#help,#offline,[data-part=other]{display:none!important}
.receipt .short{display:none}.receipt .whole{display:inline}
main,.head{width:100%}main{border:0;box-shadow:none}a{color:inherit;text-decoration:none}
}
@media(forced-colors:active){progress,.track li::before,.tabs :checked+label,.qr{border:1px solid}.ring .left{stroke:Highlight}}
@media(prefers-reduced-motion:no-preference){
.pulse{animation:pulse 2.4s ease-in-out infinite}.spin{transform-origin:12px 12px;animation:spin 1.6s linear infinite}
.good .line{stroke-dasharray:24;animation:draw .2s ease-out}
@keyframes pulse{50%{opacity:.35}}@keyframes spin{to{transform:rotate(1turn)}}@keyframes draw{from{stroke-dashoffset:24}}
}
`;

/** Sent in one style element under the response's nonce. */
export const STYLE = [TOKENS, FRAME, STATE, PAY, CHOICES, SIZES].join('');
