// How the HTML report looks: the system's fonts, light or dark as the reader has it, one column that fits a phone.
export const reportStyle = `
:root { color-scheme: light dark; --page: #fff; --text: #1c1e21; --quiet: #666d75; --line: #dde1e6; --card: #f6f7f9;
  --good: #1a7f37; --bad: #c62828; --warn: #8a5a00; --warnback: #fff4d6; --busy: #0b6bcb; }
@media (prefers-color-scheme: dark) { :root { --page: #14171a; --text: #e6e8ea; --quiet: #9aa3ad; --line: #2e343b;
  --card: #1c2126; --good: #4ac26b; --bad: #ff7b72; --warn: #e3b341; --warnback: #33290b; --busy: #58a6ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; margin: .5rem 0; } h2 { font-size: 1.15rem; margin: 1.8rem 0 .6rem; }
p { margin: .3rem 0; } .quiet, footer { color: var(--quiet); } footer { margin-top: 2rem; font-size: .85rem; }
code, pre { font: .86em/1.45 ui-monospace, monospace; } code { overflow-wrap: anywhere; }
pre { background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: .6rem; overflow-x: auto;
  max-height: 30rem; overflow-y: auto; margin: .4rem 0; white-space: pre; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .8rem 0; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
.bar { display: flex; height: .7rem; border-radius: .35rem; overflow: hidden; background: var(--line); margin: .6rem 0 .2rem; }
.bar .complete { background: var(--good); } .bar .failed { background: var(--bad); } .bar .blocked { background: var(--warn); }
.bar .running { background: var(--busy); } .bar .skipped { background: var(--quiet); }
.warning { background: var(--warnback); color: var(--warn); border-radius: 6px; padding: .35rem .6rem; font-weight: 600; }
details { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: .45rem 0; }
summary { cursor: pointer; padding: .5rem .7rem; overflow-wrap: anywhere; } details details { margin: .4rem 0; }
.body { padding: 0 .8rem .7rem; } .body ul { padding-left: 1.1rem; margin: .5rem 0; }
.mark { display: inline-block; font-size: .78rem; border-radius: 4px; padding: 0 .4rem; border: 1px solid currentColor; color: var(--quiet); }
.mark.complete, .yes { color: var(--good); } .mark.failed, .no { color: var(--bad); } .mark.running { color: var(--busy); }
.mark.blocked, .mark.unverified { color: var(--warn); }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; margin: .4rem 0; }
th { text-align: left; font-weight: 600; color: var(--quiet); font-size: .85rem; }
th, td { padding: .25rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top; }
.left { padding-left: 1.1rem; } .left li { margin: .5rem 0; } .files { list-style: none; }
.diff .place { color: var(--busy); }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .4rem; } main { padding: .6rem; } }
@media print { details { break-inside: avoid; } pre { max-height: none; white-space: pre-wrap; } }
`;
