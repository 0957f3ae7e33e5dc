/// The page's script: lays the recording out in rows, draws what is in view, and answers to the mouse and the keys.
let pageScript = #"""
  "use strict";
  (() => {
  const SUBSCRIBED = 0, JOINED = 1, REQUEST = 2, VALUE = 3, FINISHED = 4, FAILURE = 5, CANCELLED = 6, RELEASED = 7, DROPPED = 8;
  const HEAD = 24, ROW = 48, RADIUS = 5;
  const at = id => document.getElementById(id);
  const view = at("view"), sheet = at("sheet"), canvas = at("lanes"), hint = at("hint"), search = at("search");
  const pen = canvas.getContext("2d");
  let recording, total = 1, from = 0, to = 1, matches = [], match = -1, query = "", hovered = null, findings = null;
  // One for the name of each lane, and one for each set of subscriptions that do not overlap.
  let linked = new Map();
  let rows = [], subscriptions = new Map(), top = 0, valueCount = 0;

  // In as few rows as keep them from overlapping, each in the first row that is free.
  const packed = (pieces, extent) => {
    const result = [], placed = [], free = [];
    const sorted = pieces.map(piece => ({ piece, extent: extent(piece) })).sort((a, b) => a.extent[0] - b.extent[0]);
    const ending = sorted.map((_, index) => index).sort((a, b) => sorted[a].extent[1] - sorted[b].extent[1] || a - b);
    let ended = 0;
    sorted.forEach(({ piece, extent: [begin] }, index) => {
      while (ending[ended] < index && sorted[ending[ended]].extent[1] <= begin) insert(free, placed[ending[ended++]]);
      const row = free.length ? popFirst(free) : result.length;
      if (row === result.length) result.push([]);
      result[row].push(piece);
      placed.push(row);
    });
    return result;
  };
  // The smallest of a heap of numbers comes first.
  const insert = (heap, number) => {
    let index = heap.push(number) - 1;
    for (let up; index > 0 && heap[up = (index - 1) >> 1] > heap[index]; index = up)
      [heap[up], heap[index]] = [heap[index], heap[up]];
  };
  const popFirst = heap => {
    const first = heap[0], last = heap.pop();
    if (!heap.length) return first;
    heap[0] = last;
    for (let index = 0, child; (child = 2 * index + 1) < heap.length; index = child) {
      if (heap[child + 1] < heap[child]) child++;
      if (heap[index] <= heap[child]) break;
      [heap[index], heap[child]] = [heap[child], heap[index]];
    }
    return first;
  };
  const extentOf = s => {
    const events = s.events, begin = events.length ? events[0][0] : 0;
    return [begin, s.live ? total : events.length ? Math.max(begin, events[events.length - 1][0]) : 0];
  };

  // Lays a recording out.
  function load(data) {
    recording = data;
    total = Math.max(recording.duration, 1);
    [rows, subscriptions, top, valueCount] = [[], new Map(), 0, 0];
    const add = (row, height) => { rows.push({ ...row, y: top, height }); top += height; };
    for (const lane of recording.lanes) {
      let count = 0;
      for (const s of lane.subscriptions) {
        s.lane = lane.name;
        s.values = s.events.filter(e => e[1] === VALUE);
        count += s.values.length;
        // What is outstanding after each event that changes it, as soon as it is known: what was requested before the first
        // event is not.
        s.demand = [];
        let outstanding = s.events.length && s.events[0][1] === SUBSCRIBED ? 0 : null;
        if (outstanding === 0) s.demand.push([s.events[0][0], 0]);
        for (const e of s.events) {
          if (e[1] === REQUEST) outstanding = e[3] < 0 ? Infinity : outstanding + e[3];
          else if (outstanding === null) continue;
          else if (e[1] === VALUE) outstanding = Math.max(0, outstanding - 1);
          else continue;
          s.demand.push([e[0], outstanding]);
        }
        s.most = s.demand.reduce((most, d) => d[1] !== Infinity && d[1] > most ? d[1] : most, 1);
        subscriptions.set(s.number, s);
      }
      valueCount += count;
      add({ head: lane.name, note: plural(count, "value") + " · " + plural(lane.subscriptions.length, "subscription") }, HEAD);
      for (const pieces of packed(lane.subscriptions, extentOf)) {
        for (const s of pieces) s.row = rows.length;
        add({ subscriptions: pieces }, ROW);
      }
    }
    const works = new Map();
    for (const piece of recording.work) {
      if (!works.has(piece.name)) works.set(piece.name, []);
      works.get(piece.name).push(piece);
    }
    linked = new Map();
    for (const piece of recording.work) {
      if (!piece.id) continue;
      if (!linked.has(piece.id)) linked.set(piece.id, []);
      linked.get(piece.id).push(piece);
    }
    for (const pieces of linked.values()) pieces.sort((a, b) => a.start - b.start);
    for (const [name, pieces] of works) {
      add({ head: name, note: plural(pieces.length, "piece") + " of work" }, HEAD);
      for (const row of packed(pieces, p => [p.start, p.start + p.duration])) {
        for (const piece of row) piece.row = rows.length;
        add({ work: row }, ROW / 2);
      }
    }
    at("title").textContent = recording.title;
    at("summary").textContent = [plural(recording.lanes.length, "lane"), plural(subscriptions.size, "subscription"),
      plural(valueCount, "value"), timeText(recording.duration),
      ...(recording.dropped ? [plural(recording.dropped, "event") + " dropped"] : [])].join(" · ");
    const texts = recording.findings.map(finding => finding.text);
    // Buttons that say the same stay, with their focus.
    if (texts.join("\n") !== findings) {
      findings = texts.join("\n");
      at("findings").replaceChildren(...texts.map((text, index) => {
        const item = document.createElement("li"), button = document.createElement("button");
        button.textContent = text;
        button.onclick = () => {
          const s = subscriptions.get(recording.findings[index].subscriptions[0]);
          if (s) show(extentOf(s)[0], rows[s.row].y);
        };
        item.append(button);
        return item;
      }));
    }
    Object.assign(document.body.dataset,
      { lanes: recording.lanes.length, subscriptions: subscriptions.size, values: valueCount });
    hovered = hovered && again(hovered);
    if (!hovered) hint.style.display = "none";
    const kept = match >= 0 && matches[match];
    find(query);
    if (kept) match = matches.findIndex(m => m.key === kept.key);
    if (match >= 0) at("found").textContent = (match + 1) + " of " + matches.length;
  }
  // The same value or work in a newer recording.
  function again({ subscription, event, piece }) {
    if (piece) {
      const found = recording.work.find(p => pieceKey(p) === pieceKey(piece));
      return found ? { piece: found } : null;
    }
    const s = subscriptions.get(subscription.number), e = s && s.values.find(e => e[5] === event[5]);
    return e ? { subscription: s, event: e } : null;
  }
  const pieceKey = piece => [piece.name, piece.thread, piece.start].join();

  function plural(count, word) { return count.toLocaleString("en") + " " + word + (count === 1 ? "" : "s"); }
  function timeText(ns) {
    const [unit, size] = ns >= 1e9 ? ["s", 1e9] : ns >= 1e6 ? ["ms", 1e6] : ns >= 1e3 ? ["µs", 1e3] : ["ns", 1];
    return +(ns / size).toPrecision(6) + " " + unit;
  }
  const width = () => canvas.clientWidth;
  const margin = 10;
  const x = time => margin + (time - from) / (to - from) * (width() - 2 * margin);
  const time = position => from + (position - margin) / (width() - 2 * margin) * (to - from);
  const color = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name);

  // The first event that is not before a time.
  function first(events, time) {
    let low = 0, high = events.length;
    while (low < high) { const middle = (low + high) >> 1; if (events[middle][0] < time) low = middle + 1; else high = middle; }
    return low;
  }

  \#(pageDrawing)

  // Finding.
  const has = text => typeof text === "string" && text.toLowerCase().includes(query);
  const hits = (s, e) => has(e[3]) || has(s.lane);
  const isHit = piece => has(piece.text) || has(piece.name) || has(piece.id) || has(piece.failure);
  function find(text) {
    query = text.trim().toLowerCase();
    matches = [];
    match = -1;
    if (query) {
      for (const s of subscriptions.values()) {
        for (const e of s.values) if (hits(s, e)) matches.push({ key: s.number + "," + e[5], time: e[0], s, e });
        // One without values is found by its name alone.
        if (!s.values.length && has(s.lane)) matches.push({ key: s.number + ",", time: extentOf(s)[0], s });
      }
      for (const piece of recording.work) {
        if (isHit(piece)) matches.push({ key: pieceKey(piece), time: piece.start, piece });
      }
      matches.sort((a, b) => a.time - b.time);
    }
    document.body.dataset.matches = matches.length;
    at("found").textContent = query ? plural(matches.length, "match").replace("matchs", "matches") : "";
    draw();
  }
  function go(step) {
    if (!matches.length) return;
    match = (match + step + matches.length) % matches.length;
    const { s, e, piece, time } = matches[match];
    at("found").textContent = (match + 1) + " of " + matches.length;
    if (!e) {
      if (piece) [from, to] = [time - 2 * piece.duration - 1, time + 3 * piece.duration + 1];
      show(time, rows[(piece || s).row].y);
      hovered = piece ? { piece } : null;
      draw();
      return;
    }
    // So near that its neighbours can be read.
    const place = s.values.indexOf(e), near = i => s.values[Math.max(0, Math.min(i, s.values.length - 1))][0];
    const half = Math.max(near(place + 3) - e[0], e[0] - near(place - 3), total / 1e6, 1);
    from = e[0] - half;
    to = e[0] + half;
    show(e[0], rows[s.row].y);
    hovered = { subscription: s, event: e };
    draw();
  }
  function show(when, y) {
    const half = Math.min(to - from, total / 4) / 2;
    move(when - half, when + half);
    view.scrollTop = Math.max(0, y - view.clientHeight / 3);
  }

  // Moving.
  function move(begin, end) {
    const span = Math.min(Math.max(end - begin, 10), total * 1.02);
    begin = Math.max(-total * 0.01, Math.min(begin, total * 1.01 - span));
    from = begin;
    to = begin + span;
    draw();
  }
  function zoom(factor, center = (from + to) / 2) { move(center - (center - from) * factor, center + (to - center) * factor); }
  const fit = () => move(-total * 0.01, total * 1.01);
  at("in").onclick = () => zoom(0.5);
  at("out").onclick = () => zoom(2);
  at("fit").onclick = fit;
  search.oninput = () => find(search.value);
  search.onkeydown = event => { if (event.key === "Enter") go(event.shiftKey ? -1 : 1); };
  view.onscroll = draw;
  view.addEventListener("wheel", event => {
    const scrolls = sheet.clientHeight > view.clientHeight;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const delta = (event.deltaX || event.deltaY) / width() * (to - from);
      move(from + delta, to + delta);
    } else if (event.ctrlKey || event.altKey || !scrolls) zoom(Math.exp(event.deltaY / 300), time(event.offsetX));
    else return;
    event.preventDefault();
  }, { passive: false });
  document.addEventListener("keydown", event => {
    if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (to - from) / 8;
    if (event.key === "ArrowLeft") move(from - step, to - step);
    else if (event.key === "ArrowRight") move(from + step, to + step);
    else if (event.key === "+" || event.key === "=") zoom(0.5);
    else if (event.key === "-") zoom(2);
    else if (event.key === "0") fit();
    else if (event.key === "/") search.focus();
    else return;
    event.preventDefault();
  });

  const pointers = new Map();
  view.addEventListener("pointerdown", event => {
    pointers.set(event.pointerId, event);
    if (event.pointerType === "mouse") view.setPointerCapture(event.pointerId);
  });
  for (const kind of ["pointerup", "pointercancel", "pointerleave"]) {
    view.addEventListener(kind, event => {
      pointers.delete(event.pointerId);
      if (kind === "pointerleave") { hint.style.display = "none"; hovered = null; draw(); }
    });
  }
  view.addEventListener("pointermove", event => {
    const before = pointers.get(event.pointerId);
    if (!before) return hover(event);
    if (pointers.size === 2) {
      const other = [...pointers.values()].find(pointer => pointer.pointerId !== event.pointerId);
      const distance = pointer => Math.max(20, Math.abs(pointer.clientX - other.clientX));
      zoom(distance(before) / distance(event), time((event.clientX + other.clientX) / 2 - view.getBoundingClientRect().left));
    } else {
      const delta = (before.clientX - event.clientX) / width() * (to - from);
      move(from + delta, to + delta);
      if (event.pointerType === "mouse") view.scrollTop += before.clientY - event.clientY;
    }
    pointers.set(event.pointerId, event);
  });

  // What is under the pointer.
  function hover(event) {
    const box = view.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top + view.scrollTop;
    const row = rows.find(row => py >= row.y && py < row.y + row.height);
    let text = "", found = null, nearest = 9;
    for (const s of row && row.subscriptions || []) {
      for (let i = Math.max(0, first(s.values, time(px - 9))); i < s.values.length && x(s.values[i][0]) < px + 9; i++) {
        const distance = Math.abs(x(s.values[i][0]) - px);
        if (distance < nearest) { nearest = distance; found = { subscription: s, event: s.values[i] }; }
      }
    }
    if (found) {
      const { subscription: s, event: e } = found;
      text = (e[3] === null ? "(not recorded)" : e[3]) + "\n" + s.lane + ", subscription " + s.number + ", value " + e[5]
        + "\n" + timeText(e[0]) + ", thread " + e[2];
      const source = e[4] && subscriptions.get(e[4][0]);
      if (source) text += "\nfrom " + source.lane + ", value " + e[4][1];
    }
    for (const piece of row && row.work || []) {
      if (px < x(piece.start) - 2 || px > Math.max(x(piece.start + piece.duration), x(piece.start) + 2)) continue;
      found = { piece };
      text = piece.text + "\n" + timeText(piece.start) + ", took " + timeText(piece.duration) + ", thread " + piece.thread
        + (piece.failure ? "\n" + piece.failure : "");
    }
    const changed = (hovered && (hovered.event || hovered.piece)) !== (found && (found.event || found.piece));
    hovered = found;
    if (changed) draw();
    hint.textContent = text;
    hint.style.display = text ? "block" : "none";
    hint.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - hint.offsetWidth - 6)) + "px";
    hint.style.top = Math.min(event.clientY + 14, innerHeight - hint.offsetHeight - 6) + "px";
  }

  new ResizeObserver(draw).observe(view);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  load(JSON.parse(at("recording").textContent));
  fit();
  if (document.body.dataset.live) {
    // Whoever looks at the end goes on with it.
    const source = new EventSource(document.body.dataset.live);
    source.onmessage = message => {
      const atEnd = to >= total, span = to - from, all = from <= 0 && atEnd;
      load(JSON.parse(message.data));
      if (all) fit();
      else if (atEnd) move(total * 1.01 - span, total * 1.01);
    };
    source.onerror = () => { if (source.readyState === EventSource.CLOSED) at("summary").textContent += " · ended"; };
  }
  })();
  """#
