// The payment page's style sheet: system fonts, light and dark, from 320 px to a desktop. Contrasts meet WCAG 2.2 AA.

/** Sent in one style element under the response's nonce. */
export const STYLE = `
:root{color-scheme:light dark;--page:#f4f6f8;--card:#fff;--ink:#17212b;--soft:#566270;--line:#d9dfe5;--edge:#7b8794;--link:#1a56c4;--on-link:#fff;--tint:#eef3fb;
--good:#12703f;--good-tint:#e7f5ed;--stop:#9a3412;--stop-tint:#fdf1e7;--test:#6b4e00;--test-tint:#fff3cd}
@media(prefers-color-scheme:dark){:root{--page:#0f141a;--card:#18202a;--ink:#e7ecf2;--soft:#a5b1be;--line:#2d3845;--edge:#6f7d8c;--link:#8cb6ff;--on-link:#0b1830;--tint:#1c2a40;
--good:#6fd6a0;--good-tint:#14301f;--stop:#ffb27a;--stop-tint:#38240f;--test:#ffd966;--test-tint:#3a2f0b}}
*{box-sizing:border-box}
[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;padding:1rem;background:var(--page);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
header,main,.note{max-width:46rem;margin:0 auto}
h1,h2,p,ul,dl,dd{margin:0}
header{display:flex;flex-wrap:wrap;gap:.75rem 1rem;align-items:flex-start;justify-content:space-between;padding:.25rem .25rem 1rem}
.merchant{flex:1 1 0;display:flex;gap:.75rem;align-items:center;min-width:0}
.logo{flex:none;width:3rem;height:3rem;object-fit:contain;border-radius:.5rem}
.company bdi,.product bdi{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
.languages{position:relative;flex:none;font-size:.875rem}
.languages summary{display:flex;align-items:center;gap:.375rem;min-height:2rem;padding:.25rem .625rem;border:1px solid var(--line);border-radius:1rem;color:var(--soft);list-style:none;white-space:nowrap}
.languages summary::-webkit-details-marker{display:none}
.languages summary::after{content:"";width:.375rem;height:.375rem;margin-top:-.25rem;border:solid currentColor;border-width:0 1.5px 1.5px 0;transform:rotate(45deg)}
.languages ul{position:absolute;inset-inline-end:0;z-index:1;margin-top:.25rem;padding:.375rem;list-style:none;min-width:9rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem;box-shadow:0 .5rem 1.5rem rgb(0 0 0/.18)}
.languages li{margin:0}
.languages a{display:block;padding:.375rem .625rem;border-radius:.5rem;color:var(--ink);text-decoration:none}
.languages a:hover,.languages a[aria-current]{background:var(--page)}
.languages a[aria-current]{font-weight:600}
.company{font-weight:600;font-size:1.125rem}
.product{margin-top:.125rem}
.order{color:var(--soft);font-size:.875rem}
html[dir=rtl] header bdi{text-align:right}
.test{flex:1 0 100%;padding:.25rem .75rem;border-radius:.75rem;text-align:center;background:var(--test-tint);color:var(--test);font-size:.8125rem;font-weight:600}
main{padding:1rem;background:var(--card);border:1px solid var(--line);border-radius:1rem}
main:focus{outline:0}
[data-part]:not(:empty)+[data-part]:not(:empty),[data-part]:empty+[data-part]:not(:empty){margin-top:1.25rem}
[data-part=amount]{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:flex-end;justify-content:space-between}
h1{font:inherit}
h1 span{display:block}
.label{color:var(--soft);font-size:.875rem}
.amount{font-size:clamp(1.75rem,8vw,2.5rem);font-weight:700;line-height:1.15;font-variant-numeric:tabular-nums}
h1 .currency{display:inline}
.amount.long{font-size:clamp(1.25rem,6vw,2rem)}
.network{font-size:1.125rem;font-weight:600}
.clock{color:var(--soft)}
.clock time{color:var(--ink);font-weight:600;font-variant-numeric:tabular-nums}
h2{font-size:1rem}
.status{display:grid;grid-template-columns:1.5rem minmax(0,1fr);gap:.125rem .5rem;padding:.75rem .875rem;border-radius:.75rem;background:var(--tint);--tone:var(--link)}
.status.good{background:var(--good-tint);--tone:var(--good)}
.status.stop{background:var(--stop-tint);--tone:var(--stop)}
.status p{grid-column:1/-1}
.status svg{width:1.5rem;height:1.5rem;fill:var(--tone)}
.status .line{fill:none;stroke:var(--tone);stroke-width:2.5;stroke-linecap:round;stroke-linejoin:round}
.heading{font-size:1rem;font-weight:700;line-height:1.5rem}
.status .heading{color:var(--tone)}
main.message .heading{font-size:1.375rem;line-height:1.3}
main.message p{margin-top:.5rem}
.progress{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:center;font-variant-numeric:tabular-nums}
.progress+dl{margin-top:.75rem}
progress{flex:1 1 12rem;height:.625rem;border:0;border-radius:1rem;overflow:hidden;appearance:none;background:var(--line);color:var(--link)}
progress::-webkit-progress-bar{background:var(--line)}
progress::-webkit-progress-value{background:var(--link)}
progress::-moz-progress-bar{background:var(--link)}
dl>div{display:flex;flex-wrap:wrap;gap:0 1rem;justify-content:space-between;padding:.375rem 0;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums}
dl>div:last-child{border-bottom:0;font-weight:600}
dt{color:var(--soft)}
ul{padding-inline-start:1.125rem;font-size:.9375rem}
li{margin-top:.25rem}
.pay{display:grid;gap:1.25rem}
.scan{display:grid;gap:.75rem;justify-items:center;align-content:start}
.qr{display:block;width:min(100%,15rem);height:auto;border-radius:.5rem;border:1px solid var(--line)}
.codes{display:flex;flex-wrap:wrap;gap:.75rem 0;width:min(100%,15rem);margin:0;padding:0;border:0}
.codes label{display:grid;place-items:center;flex:1 1 auto;min-height:2.75rem;padding:.25rem .625rem;border:1px solid var(--edge);font-size:.875rem;text-align:center;cursor:pointer}
.codes label:first-of-type{border-start-start-radius:.625rem;border-end-start-radius:.625rem}
.codes label:last-of-type{border-start-end-radius:.625rem;border-end-end-radius:.625rem;margin-inline-start:-1px}
.codes :checked+label{background:var(--tint);border-color:var(--link);color:var(--link);font-weight:600;position:relative}
.codes :focus-visible+label{outline:3px solid var(--link);outline-offset:2px}
.codes div{flex:1 0 100%}
#code-address:checked~.of-amount,#code-amount:checked~.of-address{display:none}
.button,button{display:inline-block;min-height:2.75rem;padding:.5rem 1rem;border:1px solid transparent;border-radius:.625rem;font:inherit;font-weight:600;text-align:center;cursor:pointer}
.button{background:var(--link);color:var(--on-link);text-decoration:none}
.button.outlined{background:transparent;border-color:var(--edge);color:var(--ink)}
.scan .button{width:min(100%,15rem)}
.fields{display:grid;gap:1rem;align-content:start;min-width:0}
.field{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.25rem .75rem;align-items:center}
.field .label{grid-column:1/-1}
button{min-width:5.5rem;border-color:var(--edge);background:transparent;color:var(--ink)}
html:not(.js) [data-copy]{visibility:hidden}
@media(scripting:none){html [data-copy]{display:none}.value{grid-column:1/-1}}
.value{padding:.5rem .75rem;border-radius:.625rem;background:var(--page);line-height:1.45}
code{font:.9375rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
[data-part=steps] code{color:inherit;font-size:.8em;user-select:all}
.value code{user-select:all}
.choice{display:block;margin-top:.375rem}
.warning{padding-inline-start:.75rem;border-inline-start:3px solid var(--stop);font-size:.9375rem}
.return{text-align:center}
.worth{font-weight:600}
.choices{display:grid;gap:.5rem;padding:0;list-style:none;font-size:1rem}
.choices li{margin:0}
.choices a,.choices button,.closed{display:flex;flex-wrap:wrap;gap:.125rem 1rem;align-items:center;justify-content:space-between;width:100%;min-height:3rem;padding:.625rem .875rem;border:1px solid var(--edge);border-radius:.75rem;color:var(--ink);font-weight:400;text-align:start;text-decoration:none}
.choices a:hover,.choices button:hover{background:var(--page);border-color:var(--link)}
.choices span,.choices small{color:var(--soft);font-size:.875rem;font-weight:400;font-variant-numeric:tabular-nums}
.choices strong{flex:1 1 8rem}
.closed{border-style:dashed;border-color:var(--line);color:var(--soft)}
main.link{display:grid;gap:1.25rem}
.fill{display:grid;gap:1rem}
.entry{display:grid;gap:.25rem}
.entry label{font-weight:600}
.entry small{color:var(--soft);font-size:.875rem;font-weight:400}
.entry input,.entry textarea{width:100%;min-height:2.75rem;padding:.5rem .75rem;border:1px solid var(--edge);border-radius:.625rem;background:var(--card);color:var(--ink);font:inherit}
.entry [aria-invalid=true]{border-color:var(--stop)}
.fault{color:var(--stop);font-size:.875rem}
[data-part=choose] .button{display:block;width:100%}
a{color:var(--link)}
summary{cursor:pointer;color:var(--link);padding:.25rem 0}
.help{margin:.5rem 0 .75rem}
.help dt{color:var(--ink);font-weight:600}
.help dd{margin-bottom:.625rem}
.reference{margin-top:.5rem;color:var(--soft);font-size:.875rem}
.reference code{font-size:.8125rem;color:var(--ink);user-select:all}
[data-part=help]{padding-top:1rem;border-top:1px solid var(--line)}
.note{margin-top:1rem;padding:.75rem 1rem;border-radius:.75rem;background:var(--test-tint);color:var(--test)}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:.375rem}
@media(min-width:44rem){body{padding:2.5rem 1.5rem}main{padding:2rem}.pay{grid-template-columns:15rem minmax(0,1fr);gap:2rem}.status p{grid-column:2}}
@media print{.languages,.choices,[data-copy],[data-part=other],[data-part=return],.scan .button,#offline{display:none}body{padding:0}main{border:0}}
@media(prefers-reduced-motion:no-preference){.pulse{animation:pulse 2.4s ease-in-out infinite}.spin{transform-origin:12px 12px;animation:spin 1.6s linear infinite}
@keyframes pulse{50%{opacity:.35}}@keyframes spin{to{transform:rotate(1turn)}}}
`;
