/// The part of the page's script that draws what is in view.
let pageDrawing = #"""
  function draw() {
    const ratio = window.devicePixelRatio || 1, height = view.clientHeight;
    canvas.style.height = height + "px";
    if (canvas.width !== Math.round(width() * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width() * ratio);
      canvas.height = Math.round(height * ratio);
    }
    sheet.style.height = Math.max(top + 30, height) + "px";
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width(), height);
    pen.font = '12px system-ui, "DejaVu Sans", sans-serif';
    pen.textBaseline = "middle";
    const paint = { text: color("text"), faint: color("faint"), line: color("line"), value: color("value"),
      hit: color("hit"), demand: color("demand"), bad: color("bad"), back: color("back") };
    drawAxis(paint, height);
    const scroll = view.scrollTop;
    for (const row of rows) {
      const y = row.y - scroll;
      if (y + row.height < 0 || y > height - 24) continue;
      if (row.head !== undefined) drawHead(row, y, paint);
      for (const s of row.subscriptions || []) drawSubscription(s, y, paint);
      for (const piece of row.work || []) drawWork(piece, y, paint);
    }
    if (hovered && hovered.event) drawCause(hovered, scroll, paint);
    if (hovered && hovered.piece) drawLinks(hovered.piece, scroll, paint);
  }

  function drawAxis(paint, height) {
    pen.strokeStyle = paint.line;
    pen.fillStyle = paint.faint;
    const wanted = (to - from) / Math.max(2, width() / 110), power = 10 ** Math.floor(Math.log10(wanted));
    const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= wanted);
    // Counted, since a step may be less than what separates numbers as large as a time.
    const begin = Math.ceil(from / step), count = Math.floor(to / step) - begin;
    for (let i = 0; i <= count; i++) {
      const mark = (begin + i) * step;
      pen.globalAlpha = 0.5;
      line(x(mark), 0, x(mark), height - 20);
      pen.globalAlpha = 1;
      pen.fillText(timeText(Math.round(mark)), Math.min(x(mark) + 3, width() - 60), height - 10);
    }
  }

  function line(x1, y1, x2, y2) { pen.beginPath(); pen.moveTo(x1, y1); pen.lineTo(x2, y2); pen.stroke(); }

  function drawHead(row, y, paint) {
    pen.fillStyle = paint.text;
    pen.font = '600 13px system-ui, "DejaVu Sans", sans-serif';
    pen.fillText(row.head, margin, y + HEAD / 2 + 2, width() - 2 * margin);
    const end = margin + pen.measureText(row.head).width + 10;
    pen.font = '12px system-ui, "DejaVu Sans", sans-serif';
    pen.fillStyle = paint.faint;
    if (end + 120 < width()) pen.fillText(row.note, end, y + HEAD / 2 + 2);
  }

  function drawSubscription(s, y, paint) {
    const [begin, end] = extentOf(s);
    if (end < from || begin > to) return;
    const middle = y + 14, left = Math.max(0, x(begin)), right = Math.min(width(), x(end));
    pen.strokeStyle = paint.faint;
    line(left, middle, right, middle);
    drawDemand(s, y + 40, left, right, paint);
    for (const e of s.events) {
      if (e[1] === VALUE || e[1] === REQUEST || e[0] < from || e[0] > to) continue;
      const position = x(e[0]);
      pen.strokeStyle = pen.fillStyle = e[1] === FAILURE || e[1] === RELEASED ? paint.bad : paint.text;
      if (e[1] === FINISHED || e[1] === SUBSCRIBED) line(position, middle - 8, position, middle + 8);
      if (e[1] === FAILURE || e[1] === CANCELLED) {
        line(position - 5, middle - 5, position + 5, middle + 5);
        line(position - 5, middle + 5, position + 5, middle - 5);
      }
      if (e[1] === RELEASED) {
        // A line that was cut off.
        pen.strokeStyle = paint.bad;
        line(position - 3, middle + 8, position + 3, middle - 8);
      }
      if (e[1] === DROPPED) {
        pen.strokeStyle = paint.bad;
        pen.beginPath();
        pen.arc(position, middle, RADIUS, 0, 2 * Math.PI);
        pen.stroke();
      }
      if (e[1] === FAILURE && e[3]) pen.fillText(e[3], position + 9, middle);
    }
    let last = -Infinity;
    const start = first(s.values, from), stop = first(s.values, to + 1), found = [];
    const marble = (position, radius, fill) => {
      pen.fillStyle = fill;
      pen.beginPath();
      pen.arc(position, middle, radius, 0, 2 * Math.PI);
      pen.fill();
    };
    for (let i = start; i < stop; i++) {
      const e = s.values[i], position = x(e[0]), isHit = query && hits(s, e);
      if (isHit) found.push(position);
      // More marbles than pixels show nothing more.
      if (position - last < 1.5) continue;
      last = position;
      marble(position, RADIUS, paint.value);
      const text = e[3], room = (i + 1 < s.values.length ? x(s.values[i + 1][0]) : width()) - position - 2 * RADIUS - 4;
      if (text !== null && room > 12 && pen.measureText(text).width <= room) {
        pen.fillStyle = paint.text;
        pen.fillText(text, position + RADIUS + 3, middle + 12);
      }
    }
    // Above the others.
    for (const position of found) marble(position, RADIUS + 1, paint.hit);
  }

  function drawDemand(s, base, left, right, paint) {
    if (!s.demand.length) return;
    left = Math.max(left, x(s.demand[0][0]));
    if (left > right) return;
    pen.strokeStyle = paint.demand;
    pen.lineWidth = 1.5;
    let level = 0, position = left;
    const height = d => d === Infinity ? 9 : d === 0 ? 0 : 2 + 5 * Math.log1p(d) / Math.log1p(s.most);
    pen.beginPath();
    pen.moveTo(left, base);
    let index = Math.max(0, first(s.demand, from) - 1);
    for (; index < s.demand.length && s.demand[index][0] <= to; index++) {
      const [when, outstanding] = s.demand[index], here = Math.max(left, x(when));
      pen.lineTo(here, base - level);
      level = height(outstanding);
      pen.lineTo(here, base - level);
      position = here;
    }
    pen.lineTo(Math.max(position, right), base - level);
    pen.stroke();
    pen.lineWidth = 1;
  }

  function drawWork(piece, y, paint) {
    const left = x(piece.start), right = x(piece.start + piece.duration);
    if (right < 0 || left > width()) return;
    pen.fillStyle = query && isHit(piece) ? paint.hit : piece.failure ? paint.bad : paint.value;
    pen.globalAlpha = 0.35;
    pen.fillRect(left, y + 3, Math.max(2, right - left), 17);
    pen.globalAlpha = 1;
    const room = Math.min(right, width()) - Math.max(left, 0) - 6;
    if (room > 24) {
      pen.save();
      pen.beginPath();
      pen.rect(Math.max(left, 0), y, room + 6, 22);
      pen.clip();
      pen.fillStyle = paint.text;
      pen.fillText(piece.text, Math.max(left, 0) + 3, y + 12);
      pen.restore();
    }
  }

  // From a message that was sent to where it was received.
  function drawLinks(piece, scroll, paint) {
    const pieces = linked.get(piece.id) || [];
    pen.strokeStyle = paint.hit;
    pen.lineWidth = 2;
    for (let i = 1; i < pieces.length; i++) {
      line(x(pieces[0].start), rows[pieces[0].row].y - scroll + 12, x(pieces[i].start), rows[pieces[i].row].y - scroll + 12);
    }
    pen.lineWidth = 1;
  }

  // The way from a value to the one that came while it was delivered.
  function drawCause({ subscription, event }, scroll, paint) {
    let [s, e] = [subscription, event];
    pen.strokeStyle = paint.hit;
    pen.lineWidth = 2;
    for (let hops = 0; hops < 100 && e && e[4]; hops++) {
      const source = subscriptions.get(e[4][0]), cause = source && source.values.find(v => v[5] === e[4][1]);
      if (!cause) break;
      line(x(cause[0]), rows[source.row].y - scroll + 14, x(e[0]), rows[s.row].y - scroll + 14);
      [s, e] = [source, cause];
    }
    pen.lineWidth = 1;
  }
  """#
