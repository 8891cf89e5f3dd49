/** The page's look: one column, calm neutrals, the colours belong to the people found. */
export const STYLE = /* css */ `
:root{--bg:#f6f5f2;--card:#fff;--ink:#1b1a18;--soft:#5f5c56;--line:#e4e1db;--hover:#f0eee9;--light:.62;--accent:#3056d3;--good:#17653e;--bad:#a22d23;
--shadow:0 1px 2px #0000000d,0 8px 24px -12px #00000024;color-scheme:light}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){--bg:#131316;--card:#1c1c21;--ink:#eeecea;--soft:#98959d;--line:#2d2c33;--hover:#26252b;--light:.72;--accent:#8fa8ff;--good:#5fc795;--bad:#ff8d80;
--shadow:0 1px 2px #0006,0 12px 32px -16px #000;color-scheme:dark}}
:root[data-theme=dark]{--bg:#131316;--card:#1c1c21;--ink:#eeecea;--soft:#98959d;--line:#2d2c33;--hover:#26252b;--light:.72;--accent:#8fa8ff;--good:#5fc795;--bad:#ff8d80;
--shadow:0 1px 2px #0006,0 12px 32px -16px #000;color-scheme:dark}
*{box-sizing:border-box}[hidden]{display:none!important}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 ui-sans-serif,Inter,system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums;-webkit-font-smoothing:antialiased}
button,input{font:inherit;color:inherit}button{cursor:pointer;background:none;border:0;padding:0;text-align:inherit}button:disabled{cursor:default;opacity:.35}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.top,main,footer{max-width:1180px;margin:0 auto;padding:0 28px}
.top{display:flex;justify-content:space-between;align-items:center;padding-top:22px}
.brand{display:flex;align-items:end;gap:3px;font-weight:650;letter-spacing:-.01em}.brand i{width:4px;border-radius:2px;background:var(--accent)}
.brand i:nth-child(1){height:9px;margin-bottom:5px;opacity:.45}.brand i:nth-child(2){height:15px;margin-bottom:5px}.brand i:nth-child(3){height:6px;margin:0 6px 5px 0;opacity:.7}
.quiet{color:var(--soft);padding:6px 12px;border-radius:8px;font-size:13px}.quiet:hover{background:var(--hover);color:var(--ink)}
main>section{margin-bottom:22px}
.hero{padding:40px 0 10px}.eyebrow{margin:0 0 10px;color:var(--soft);font-size:13px}
.state{display:inline-block;padding:2px 10px;margin-right:8px;border-radius:99px;font-weight:600;font-size:12px;background:color-mix(in srgb,var(--soft) 16%,transparent);color:var(--soft)}
.state.completed{background:color-mix(in srgb,var(--good) 14%,transparent);color:var(--good)}.state.failed,.state.stopped{background:color-mix(in srgb,var(--bad) 14%,transparent);color:var(--bad)}
h1{font-size:clamp(28px,4vw,42px);line-height:1.1;letter-spacing:-.025em;font-weight:680;margin:0 0 22px;overflow-wrap:anywhere;text-wrap:balance}
h2{font-size:17px;letter-spacing:-.01em;margin:0;font-weight:640;overflow-wrap:anywhere}
dl{margin:0}dt{color:var(--soft);font-size:12px}dd{margin:0;font-weight:560;overflow-wrap:anywhere}dt::first-letter{text-transform:uppercase}
.facts{display:flex;flex-wrap:wrap;gap:14px 40px}
.errors{margin:22px 0 0;padding:12px 16px 12px 34px;border-radius:12px;background:color-mix(in srgb,var(--bad) 9%,transparent);color:var(--bad);overflow-wrap:anywhere}
#people{display:flex;flex-wrap:wrap;gap:10px;align-items:center}#people:empty{display:none}
.person{display:flex;align-items:center;gap:12px;padding:8px 18px 8px 8px;border-radius:99px;background:var(--card);box-shadow:var(--shadow);max-width:280px;transition:transform .15s}
.person:hover{transform:translateY(-1px)}.person>span{min-width:0}.person b{display:block;font-weight:600;line-height:1.25;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.person small{color:var(--soft);font-size:12px;white-space:nowrap}
.person img,.person>i{width:46px;height:46px;border-radius:50%;object-fit:cover;flex:none;border:2.5px solid var(--tint)}.person>i{display:grid;place-items:center;font-style:normal;font-weight:650;background:color-mix(in srgb,var(--tint) 18%,transparent)}
.person,.lane,.words .seg,.box,.who,.chip,.peek,#stage{--tint:oklch(var(--light) var(--chroma,0) var(--hue,0))}
#stage,.film,.list,#gallery,.sums{background:var(--card);border-radius:18px;box-shadow:var(--shadow)}
#stage{display:grid;grid-template-columns:minmax(0,1.65fr) minmax(260px,1fr);overflow:hidden}
.frame{position:relative;background:#0c0c0d;overflow:hidden}.frame>img{display:block;width:100%;height:100%;object-fit:contain}
.frame.none{display:grid;place-items:center;min-height:150px;color:var(--soft);background:var(--hover);font-size:13px}
.still{display:grid;place-items:center;background:#0c0c0d}.still .frame{width:min(100%,560px*var(--ratio))}
.box{position:absolute;border:2px solid var(--tint);border-radius:6px;box-shadow:0 0 0 1px #0006,inset 0 0 0 1px #0004}
.box span{position:absolute;left:-2px;bottom:100%;margin-bottom:3px;padding:0 7px;border-radius:6px;background:var(--tint);color:#fff;font-size:12px;font-weight:600;line-height:1.6;white-space:nowrap;max-width:240px;overflow:hidden;text-overflow:ellipsis;text-shadow:0 1px 1px #0005}
.box.below span{bottom:auto;top:100%;margin:3px 0 0}.box.strong{border-width:3px}
.about{padding:26px 28px;display:flex;flex-direction:column;gap:20px;min-width:0}
.name{display:flex;gap:14px;align-items:center}.name>div{min-width:0}.name img{width:64px;height:64px;border-radius:14px;object-fit:cover;flex:none;box-shadow:0 0 0 3px var(--tint)}.kind{margin:0;color:var(--soft);font-size:12px}.kind::first-letter{text-transform:uppercase}.name h2{font-size:24px;line-height:1.15;letter-spacing:-.02em}
.about dl{display:grid;grid-template-columns:1fr 1fr;gap:12px 18px}
.steps{display:flex;gap:8px;margin:auto 0 0}.steps button,.tools button{padding:6px 12px;border-radius:9px;background:var(--hover);font-size:13px;font-weight:560}.steps button:hover:enabled,.tools button:hover:enabled{background:var(--line)}
.bar{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 14px;padding:20px 24px 14px}.bar p{margin:0;color:var(--soft);font-size:13px}
.film{position:relative}.tools{position:absolute;top:16px;right:20px;display:flex;gap:6px}.film .bar{padding-right:170px}
.tracks{--name:212px;position:relative;overflow:auto;max-height:70vh;padding-bottom:10px;scrollbar-width:thin}
.lane{display:flex;width:max-content;min-width:100%;height:48px;align-items:center}.lane:hover .lane-name,.lane:hover .track{background-color:var(--hover)}.lane.head{position:sticky;top:0;z-index:3;height:30px;background:var(--card)}.lane.kind{height:30px}
.lane-name{position:sticky;left:0;z-index:2;flex:none;width:var(--name);height:100%;display:flex;align-items:center;gap:10px;padding:0 12px 0 24px;background:var(--card);font-size:13px;border-right:1px solid var(--line)}
.lane.kind .lane-name{color:var(--soft);font-size:12px}.lane-name img,.lane-name>i{width:32px;height:32px;border-radius:50%;object-fit:cover;flex:none;border:2px solid var(--tint)}.lane-name>i{background:var(--tint);width:12px;height:12px;border:0;margin:0 8px}
.lane-name span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-weight:560;line-height:1.3}.lane-name small{display:block;color:var(--soft);font-weight:400;font-size:11.5px}
.ruler{overflow:hidden}.track,.ruler{position:relative;height:100%;width:var(--track,auto);flex:1 0 auto;border-bottom:1px solid color-mix(in srgb,var(--line) 55%,transparent);margin-right:24px}
.ruler span{position:absolute;bottom:0;padding:0 0 5px 6px;border-left:1px solid var(--line);color:var(--soft);font-size:11.5px;line-height:1.4;white-space:nowrap}
.seg{position:absolute;top:11px;bottom:11px;min-width:4px;border-radius:6px;background:var(--tint);opacity:.82;transition:opacity .12s,transform .12s}.seg:hover{opacity:1}.seg[aria-current]{opacity:1;transform:scaleY(1.18);box-shadow:0 0 0 2px var(--card),0 0 0 4px var(--tint);z-index:1}
.lane.more{height:40px}.lane.more .lane-name{overflow:visible;border:0}.unfold{padding:4px 12px;border-radius:9px;background:var(--hover);color:var(--accent);font-weight:560;white-space:nowrap}.unfold:hover{background:var(--line)}
.lane.words{height:86px}.words .seg{top:calc(6px + 25px*var(--row));bottom:auto;height:23px;background:none;opacity:1;text-align:left;border-radius:4px}.words .seg i{display:block;height:4px;min-width:5px;max-width:100%;border-radius:2px;background:var(--tint)}.words .seg span{display:block;padding:1px 6px 0 0;font-size:12px;line-height:17px;font-weight:560;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}.words .seg:hover{background:var(--hover)}.words .seg[aria-current]{transform:none;box-shadow:none;background:color-mix(in srgb,var(--tint) 20%,var(--card))}
.peek{position:fixed;z-index:9;width:320px;padding:6px;border-radius:14px;background:var(--card);box-shadow:0 10px 40px -8px #0008,0 0 0 1px var(--line);pointer-events:none}.peek .frame,.peek .thumb{border-radius:9px}.peek .thumb{display:block;max-width:100%;margin:0 auto}.peek p{margin:7px 6px 3px;display:flex;gap:10px;justify-content:space-between;align-items:baseline}.peek b{font-weight:600;overflow-wrap:anywhere}.peek small{color:var(--soft);font-size:11.5px;white-space:nowrap}
.cursor{position:absolute;top:0;width:1px;background:var(--ink);opacity:.5;pointer-events:none;z-index:4}.cursor span{position:sticky;top:4px;display:inline-block;margin-left:6px;padding:0 6px;border-radius:5px;background:var(--ink);color:var(--bg);font-size:11px;white-space:nowrap}
#gallery{padding-bottom:24px}.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(250px,1fr));gap:22px;padding:2px 24px 0;align-items:start}figure{margin:0}figure .frame{border-radius:12px}figure:only-child{max-width:720px}
figcaption{padding:9px 2px 0;line-height:1.3}.shy span{opacity:0;transition:opacity .12s}.shy:hover,.shy:focus-visible{z-index:1}.shy:hover span,.shy:focus-visible span{opacity:1}
figcaption p{margin:0 0 3px;display:flex;flex-wrap:wrap;gap:4px 12px}.chip{font-weight:600;overflow-wrap:anywhere}.chip::before{content:"";display:inline-block;width:8px;height:8px;margin-right:6px;border-radius:50%;background:var(--tint)}.chip:hover{text-decoration:underline}figcaption small{color:var(--soft);font-size:12px;overflow-wrap:anywhere}
.sums .bar{align-items:center}.sums .state{margin:0}.parts{display:grid;grid-template-columns:repeat(auto-fit,minmax(280px,1fr));gap:22px 40px;padding:4px 24px 14px}.parts h3{margin:0 0 6px;font-size:12px;font-weight:560;color:var(--soft)}
.parts tbody tr{cursor:default}.parts tbody tr:hover td{background:none}.parts th{font-weight:560;text-align:left;padding:5px 14px 5px 0;max-width:160px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.parts th::first-letter{text-transform:uppercase}.parts td{border:0;padding:5px 0}.parts td:nth-child(2){width:100%;min-width:60px}.parts td:last-child{padding-left:14px;color:var(--soft);font-size:13px;text-align:right}
.parts svg{display:block;width:100%;height:8px;border-radius:4px;background:var(--hover);overflow:hidden}.parts rect{fill:var(--accent);opacity:.8}.sums .empty{font-size:12.5px;padding-bottom:18px}
.list .bar{align-items:center;justify-content:space-between}#filter{padding:7px 12px;border:1px solid var(--line);border-radius:10px;background:var(--bg);width:220px;max-width:100%}
.scroll{overflow:auto;max-height:80vh;padding-bottom:8px;scrollbar-width:thin}table{width:100%;border-collapse:collapse;font-size:14px}
thead th{position:sticky;top:0;z-index:1;background:var(--card);text-align:left;font-size:12px;font-weight:560;color:var(--soft);padding:0;border-bottom:1px solid var(--line)}th button{width:100%;padding:8px 12px;white-space:nowrap}th button:hover{color:var(--ink)}
th[aria-sort=ascending] button::after{content:" ↑";color:var(--ink)}th[aria-sort=descending] button::after{content:" ↓";color:var(--ink)}
td{padding:7px 12px;border-bottom:1px solid color-mix(in srgb,var(--line) 55%,transparent);white-space:nowrap}td:first-child,th:first-child button{padding-left:24px}tbody tr{cursor:pointer}tbody tr:hover td{background:var(--hover)}tr[aria-current] td{background:color-mix(in srgb,var(--accent) 9%,transparent)}tr:last-child td{border:0}
td:nth-child(2)::first-letter{text-transform:uppercase}.who{display:flex;align-items:center;gap:10px;font-weight:560;max-width:320px}.who span{overflow:hidden;text-overflow:ellipsis}.who img{width:32px;height:32px;border-radius:8px;object-fit:cover;flex:none;border:2px solid var(--tint)}.who i{width:10px;height:10px;border-radius:50%;background:var(--tint)}
.empty{margin:0;padding:4px 24px 22px;color:var(--soft)}footer{padding:10px 28px 50px;color:var(--soft);font-size:12.5px}
@media (max-width:820px){.top,main,footer{padding-left:16px;padding-right:16px}#stage{grid-template-columns:1fr}.tracks{--name:118px}.lane-name{padding:0 8px 0 14px}.lane-name>i{display:none}.film .bar{padding-right:24px}.tools{position:static;padding:0 24px 10px}}
@media (max-width:560px){.lane{height:auto;min-height:52px}.lane.head,.lane.kind{min-height:30px}.lane .track{height:auto;align-self:stretch}.lane-name{gap:7px;padding:4px 6px 4px 10px;height:auto;align-self:stretch}.lane-name img{width:26px;height:26px}.lane-name span{white-space:normal;overflow-wrap:anywhere;font-size:12px;line-height:1.2}#people{display:grid;grid-template-columns:repeat(2,minmax(0,1fr))}.person{gap:8px;padding:6px 10px 6px 6px;border-radius:16px;max-width:none}.person b{white-space:normal;overflow-wrap:anywhere;font-size:14px;display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical}.person small{white-space:normal;line-height:1.3;display:block}.person img,.person>i{width:40px;height:40px}}
@media (prefers-reduced-motion:reduce){*{transition:none!important;scroll-behavior:auto!important}}
@media print{.tools,.quiet,#filter,.steps{display:none!important}.tracks,.scroll{max-height:none;overflow:visible}body{background:#fff}}
`;
