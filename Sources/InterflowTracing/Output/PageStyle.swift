/// The page's layout and colours, for light and dark.
let pageStyle = """
  :root { color-scheme: light dark; --back: #fff; --text: #1d1d1f; --faint: #8a8a8e; --line: #d2d2d7; --value: #0a66c2;
    --hit: #e8590c; --demand: #2f9e44; --bad: #c92a2a; --panel: #f5f5f7; }
  @media (prefers-color-scheme: dark) {
    :root { --back: #161618; --text: #f2f2f4; --faint: #98989d; --line: #3a3a3d; --value: #6cb2ff; --hit: #ffa94d;
      --demand: #69db7c; --bad: #ff8787; --panel: #222225; } }
  * { box-sizing: border-box; }
  html, body { margin: 0; height: 100%; background: var(--back); color: var(--text);
    font: 14px/1.45 system-ui, "DejaVu Sans", sans-serif; }
  body { display: flex; flex-direction: column; }
  header { padding: 10px 14px; border-bottom: 1px solid var(--line); }
  h1 { font-size: 17px; margin: 0 0 4px; overflow-wrap: anywhere; }
  header p { margin: 0; color: var(--faint); }
  #findings { margin: 8px 0 0; padding: 0; list-style: none; max-height: 22vh; overflow: auto; }
  #findings button { all: unset; cursor: pointer; color: var(--bad); padding: 2px 0; overflow-wrap: anywhere; }
  #findings button:focus-visible, #tools :focus-visible { outline: 2px solid var(--value); outline-offset: 2px; }
  #tools { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 8px; align-items: center; }
  #tools input { flex: 1 1 160px; min-width: 0; max-width: 320px; }
  #tools input, #tools button { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line);
    border-radius: 6px; padding: 4px 10px; min-height: 32px; }
  #found { color: var(--faint); min-width: 5em; }
  #view { position: relative; flex: 1; overflow-y: auto; overflow-x: hidden; touch-action: pan-y; }
  #sheet { position: relative; }
  canvas { position: sticky; top: 0; display: block; width: 100%; }
  #hint { position: fixed; display: none; max-width: min(340px, 90vw); background: var(--panel); color: var(--text);
    border: 1px solid var(--line); border-radius: 6px; padding: 6px 9px; pointer-events: none; white-space: pre-line;
    overflow-wrap: anywhere; font-size: 13px; }
  """

/// What is on the page before the script draws.
let pageBody = """
  <header>
  <h1 id="title"></h1>
  <p id="summary"></p>
  <ul id="findings" aria-label="Findings"></ul>
  <div id="tools">
  <input id="search" type="search" placeholder="Find a value or a lane" aria-label="Find a value or a lane">
  <span id="found" role="status"></span>
  <button id="out" title="Zoom out (-)">−</button><button id="in" title="Zoom in (+)">+</button>
  <button id="fit" title="Everything (0)">All</button>
  </div>
  </header>
  <div id="view" tabindex="0" aria-label="Lanes. Arrow keys move, + and - zoom, 0 shows everything.">
  <div id="sheet"><canvas id="lanes"></canvas></div>
  </div>
  <div id="hint" role="tooltip"></div>
  """
