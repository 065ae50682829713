// The page of the lab. The server sends a whole run at once; this script plays it, draws it and asks for the next one.
window.lab = (function () {
  "use strict";
  const $ = (id) => document.getElementById(id), paint = window.labPaint;
  const BLUE = "#0072B2", ORANGE = "#D55E00", GREEN = "#009E73";
  const MOST_SHOWN_SIZE = 24;
  const HAND = ["add", "move", "delete", "flip", "undo", "redo"]; // what keeps the place in a run that is not playing
  const PATIENCE = 400; // milliseconds until the curves are drawn without the proof
  let models, wire, screen, data, runs = [], proofs = [];
  let frame = 0, playing = false, fresh = true, dark = false, tool = "draw", side = 1, owed = 0, last = 0, ticking = false, besides = 0;
  let stayed = false, cursor = null, ghosts = [], held = null, asked = 0, spoken = null;
  const waiting = new Map();
  const lab = { menu: null, start, lost, timings: { draws: [], frames: 0 } };

  // ---------------------------------------------------------------- the wire

  function ask(request) {
    if (document.body.dataset.lost === "yes") {
      say("The lab's server has stopped, so this cannot be done; start it again and reload this page.");
      return Promise.resolve({ message: "The lab's server has stopped; start it again and reload this page.", lost: true });
    }
    request.id = ++asked;
    return new Promise((answer) => {
      waiting.set(request.id, answer);
      lab.timings.asked = performance.now();
      wire.request = JSON.stringify(request);
    });
  }

  async function change(request) {
    if ("row" in request || "rows" in request) request.generation = screen.generation; // the numbers are those of this screen
    const stood = frame > 0 && frame < longest() && !playing && HAND.includes(request.do);
    const toEnd = frame >= longest() || !playing;
    const reply = await ask(request);
    if (reply.runs) show(reply, request.do === "tour" ? "asked" : stood ? "still" : toEnd ? "end" : "start");
    else if (reply.message) say(reply.message);
    return reply;
  }

  function replied() {
    const reply = JSON.parse(wire.reply);
    const answer = waiting.get(reply.id);
    waiting.delete(reply.id);
    lab.timings.answered = performance.now() - lab.timings.asked;
    if (answer) answer(reply);
  }

  function proven() {
    const told = JSON.parse(wire.proof || "{}");
    if (told.generation !== screen.generation) return;
    proofs = told.proofs;
    tellProof();
    clearTimeout(unproven);
    drawPlanes();
    later(() => { drawProof(); drawMoments(); });
  }

  function start(args) {
    models = args;
    wire = args.wire;
    wire.properties.reply.change.connect(replied);
    wire.properties.proof.change.connect(proven);
    fillMenus();
    listen();
    for (const name of Object.keys(HOSTS)) for (const size of ["inner_width", "inner_height"]) models[`${name}_plot`].properties[size].change.connect(redraw);
    theme(localStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const shared = new URLSearchParams(location.search).has("s");
    show(JSON.parse(wire.reply), "asked");
    if (!shared && !calm) play(true);
    if (wire.proof) proven();
    document.body.dataset.ready = "yes";
  }

  function lost(is) {
    if (is) for (const [id, answer] of waiting) { waiting.delete(id); answer({ message: "The lab's server has stopped; start it again and reload this page.", lost: true }); }
    $("lost").hidden = !is;
    document.body.dataset.lost = is ? "yes" : "no";
  }

  function say(text) {
    $("message").textContent = text;
  }

  // ---------------------------------------------------------------- what came

  const KINDS = { f8: Float64Array, f4: Float32Array, i4: Int32Array, i1: Int8Array, u1: Uint8Array };

  function unpack(text, kind) {
    const plain = atob(text), bytes = new Uint8Array(plain.length);
    for (let j = 0; j < plain.length; j++) bytes[j] = plain.charCodeAt(j);
    return new KINDS[kind](bytes.buffer);
  }

  function show(reply, where) { // at the start or the end of the new run, still at the same step, or as it was asked for
    const same = Boolean(screen) && screen.generation === reply.generation; // refused: nothing has changed
    screen = reply;
    const d = reply.data;
    data = { ...d, x: unpack(d.x, "f8"), y: unpack(d.y, "f8"), side: unpack(d.side, "i1"), rows: unpack(d.rows, "i4") };
    runs = reply.runs.map(unpackRun);
    if (!same) proofs = [];
    say(reply.message || reply.trouble);
    const asked = reply.frame || (reply.tour && reply.tour.end ? longest() : 0);
    stayed = !same && where === "still";
    if (!same) frame = { asked, start: 0, end: longest(), still: frame }[where];
    frame = Math.max(0, Math.min(frame, longest()));
    $("scrub").max = Math.max(1, longest());
    $("undo").disabled = !reply.undo;
    $("redo").disabled = !reply.redo;
    if (same) for (const id of ["set-options", "options0", "options1"]) $(id).dataset.key = ""; // what was refused is not left standing
    setView();
    draw(); // what was asked for comes first
    setTour();
    later(showRest);
  }

  function showRest() { // what is looked at after the picture
    setMenus();
    setAddress(screen.address);
    fillTable();
    drawSurface();
    drawCurve();
    tellEnding();
    tellProof();
    clearTimeout(unproven);
    if (proofs.length || !runs.length) drawProof();
    else { $("prove").classList.add("stale"); unproven = setTimeout(() => { drawProof(); drawMoments(); }, PATIENCE); }
    drawMoments();
    if ($("python-box").open) fetchScript();
  }

  let unproven = 0, owedWork = [];
  function later(work) { // after the next picture is on the screen
    owedWork = [...owedWork.filter((other) => other !== work), work];
    if (owedWork.length === 1) afterPicture(() => { const all = owedWork; owedWork = []; for (const one of all) one(); });
  }

  function afterPicture(work) { // a page in the background gets no pictures, and waits for none
    if (document.hidden) setTimeout(work, 0);
    else requestAnimationFrame(() => setTimeout(work, 0));
  }

  function unpackRun(told) {
    const run = { ...told };
    for (const [name, kind] of [["numbers", "i4"], ["epoch_ends", "i4"], ["rows", "i4"], ["places", "i4"],
      ["steps", "f8"], ["sides", "i1"], ["margins", "f8"], ["shrinks", "f8"], ["error_frames", "i4"], ["errors", "f8"], ["lengths", "f8"],
      ["support", "i4"]]) run[name] = unpack(told[name], kind);
    const counting = (n) => Int32Array.from({ length: n }, (_, j) => j);
    if (!told.numbers) run.numbers = counting(run.frames);
    if (!told.error_frames) run.error_frames = counting(run.errors.length);
    if (!told.shrinks) run.shrinks = new Float64Array(run.steps.length).fill(1);
    for (const name of ["weights", "path"]) run[name] = told[name] ? unpack(told[name], "f8") : null;
    if (told.field) run.field = { side: told.field.side, frames: unpack(told.field.frames, "i4"), bits: unpack(told.field.bits, "u1") };
    if (told.hidden) run.hidden = { ...told.hidden, lines: unpack(told.hidden.lines, "f8") };
    if (told.image) run.image = { shape: told.image.shape, frames: unpack(told.image.frames, "i4"), values: unpack(told.image.values, "i1") };
    if (told.surface) run.surface = { ...told.surface, values: unpack(told.surface.values, "f4") };
    run.counts = new Int32Array(data.x.length);
    run.counted = 0;
    return run;
  }

  const longest = () => Math.max(0, ...runs.map((run) => run.frames - 1));
  const at = (run) => Math.min(frame, run.frames - 1);

  function evenly(n, most = 400) { // places of an even part of a list, with its end
    if (n <= most) return Array.from({ length: n }, (_, j) => j);
    return Array.from({ length: most }, (_, j) => Math.round(j * (n - 1) / (most - 1)));
  }

  function rising(n, most = 200) { // frames 1 … n - 1, fewer and fewer, for a logarithmic axis
    if (n <= most) return Array.from({ length: n - 1 }, (_, j) => j + 1);
    return [...new Set(Array.from({ length: most }, (_, j) => Math.round(Math.pow(n - 1, j / (most - 1)))))];
  }

  function before(list, value) { // the last place whose entry is at most the value
    let low = 0, high = list.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (list[middle] <= value) low = middle; else high = middle - 1;
    }
    return low;
  }

  // ---------------------------------------------------------------- playing

  const rate = () => 1.5 * Math.pow(400, $("speed").value / 100);

  let cost = 0; // milliseconds that a picture takes, smoothed
  function tick(now) {
    owed += Math.min(1000, now - last) / 1000 * rate();
    last = now;
    if (!playing) { ticking = false; return; }
    const whole = Math.floor(owed);
    if (whole > 0) {
      owed -= whole;
      go(Math.min(frame + whole, longest()));
      lab.timings.frames++;
      if (frame >= longest()) play(false);
      setTimeout(() => { cost = 0.8 * cost + 0.2 * (performance.now() - now); }, 0); // after the browser's own part
    }
    nextTick();
  }

  // Not before a step is due, and with twice a picture's time left for other things, such as clicks and other tabs; but
  // at least twenty pictures a second.
  function nextTick() {
    const wait = Math.max(1000 * (1 - owed) / rate(), Math.min(33, 3 * cost)) - 8;
    if (wait > 8) setTimeout(() => requestAnimationFrame(tick), wait);
    else requestAnimationFrame(tick);
  }

  function play(on) {
    const was = playing;
    if (on && frame >= longest()) go(0);
    playing = on && longest() > 0;
    owed = 0;
    if (playing && !ticking) { ticking = true; last = performance.now(); requestAnimationFrame(tick); }
    $("play").textContent = playing ? "Pause" : "Play";
    if (was && !playing) { draw(); settle(); }
    else hint();
  }

  function go(to) {
    stayed = false;
    frame = Math.max(0, Math.min(to, longest()));
    draw();
    if (!playing) settle();
  }

  let settling = 0;
  function settle() { // the frame on view goes into the address, once the reader rests
    clearTimeout(settling);
    settling = setTimeout(async () => {
      if (playing || !screen || document.body.dataset.lost === "yes") return;
      const reply = await ask({ do: "frame", frame });
      setAddress(reply.address);
      if ($("python-box").open) fetchScript();
    }, 250);
  }

  function setAddress(address) {
    history.replaceState(null, "", address ? "?s=" + address : location.pathname);
  }

  function nextEpoch(direction) {
    const ends = [...new Set(runs.flatMap((run) => [...run.epoch_ends]))].sort((a, b) => a - b);
    if (direction > 0) go(ends.find((end) => end > frame) ?? longest());
    else go(ends.reverse().find((end) => end < frame) ?? 0);
  }

  // ---------------------------------------------------------------- drawing

  const HOSTS = { plane0: "plane0", plane1: "plane1", proof: "proof-plot", curve: "curve-plot", landscape: "land-plot" };
  const paperOf = (name) => paint.open(models[`${name}_plot`], $(HOSTS[name]));

  function setView() {
    const [left, right, bottom, top] = data.view;
    $("box1").hidden = runs.length < 2;
    document.querySelector("main").classList.toggle("two", runs.length > 1);
    for (const i of runs.length > 1 ? [0, 1] : [0]) {
      const plot = models[`plane${i}_plot`];
      plot.x_range.setv({ start: left, end: right });
      plot.y_range.setv({ start: bottom, end: top });
      plot.below[0].axis_label = data.axes[0];
      plot.left[0].axis_label = data.axes[1];
    }
    setKey();
  }

  function setKey() { // what the marks in the picture mean
    const run = runs[0], lined = Boolean(run && run.weights), stepped = Boolean(run && run.kind === "updates");
    const shown = { line: lined, before: lined && stepped, arrow: lined, sample: stepped, hidden: Boolean(run && run.hidden) };
    for (const [name, is] of Object.entries(shown)) $(`${name}-key`).hidden = !is;
  }

  function draw() {
    const begun = performance.now();
    drawPlanes();
    if (!playing || begun - besides > 150) { // nobody reads faster than that
      besides = begun;
      drawMoments();
      explain();
    }
    $("scrub").value = frame;
    const stands = (r) => `${r.kind === "updates" ? "update" : r.kind === "once" ? "step" : "epoch"} ${number(r.numbers[at(r)])} of ${number(r.numbers[r.frames - 1])}`;
    write("place", runs.length ? stands(runs[0]) : "");
    for (const i of [0, 1]) write(`caption${i}`, !runs[i] ? "" : runs.length > 1 ? `${runs[i].title}, ${stands(runs[i])}` : runs[i].title);
    lab.frame = frame;
    lab.timings.draws.push(performance.now() - begun);
    if (lab.timings.draws.length > 2000) lab.timings.draws.shift();
  }

  function write(id, text) { // text that stays is left alone
    if ($(id).textContent !== text) $(id).textContent = text;
  }

  let redrawing = false;
  function redraw() { // once, however many figures have found a new size
    if (redrawing || !screen) return;
    redrawing = true;
    requestAnimationFrame(() => { redrawing = false; draw(); });
  }

  const colours = () => (dark ? { "-1": "#56B4E9", 1: "#F08A3C", ink: "#f2f2f2", paper: "#14161a", accent: "#2fc193", witness: "#CC79A7" }
    : { "-1": BLUE, 1: ORANGE, ink: "#222222", paper: "#ffffff", accent: GREEN, witness: "#CC79A7" });

  const base = () => (data.x.length > 600 ? 6 : data.x.length > 200 ? 8 : 10);

  function sizesOf(run) { // of the points: those that were mistakes are bigger
    if (!run || run.kind !== "updates" || !$("sizes").checked) return () => base();
    return (j) => (run.counts[j] ? Math.min(MOST_SHOWN_SIZE, base() + 2 * Math.sqrt(run.counts[j])) : base());
  }

  function count(run, k) { // mistakes of every point up to frame k, from where the counting stood
    if (run.counted > k) { run.counts.fill(0); run.counted = 0; }
    for (; run.counted < k; run.counted++) {
      const place = run.places[run.counted];
      if (place >= 0) run.counts[place]++;
    }
  }

  function clip(w1, w2, b) { // the part of the view where w·x + b >= 0, and the ends of the line
    const [left, right, bottom, top] = data.view;
    const corners = [[left, bottom], [right, bottom], [right, top], [left, top]], inside = [], ends = [];
    for (let j = 0; j < 4; j++) {
      const p = corners[j], q = corners[(j + 1) % 4];
      const f = w1 * p[0] + w2 * p[1] + b, g = w1 * q[0] + w2 * q[1] + b;
      if (f >= 0) inside.push(p);
      if (f >= 0 !== g >= 0) {
        const t = f / (f - g), cut = [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])];
        inside.push(cut);
        ends.push(cut);
      }
    }
    return { inside, ends };
  }

  const weightsAt = (list, k) => list && [list[3 * k], list[3 * k + 1], list[3 * k + 2]];

  function drawPlanes() {
    for (const i of runs.length > 1 ? [0, 1] : [0]) drawPlane(i, runs[i]);
  }

  function drawPlane(i, run) { // from the bottom to the top
    const paper = paperOf(`plane${i}`);
    if (!paper) return;
    const shade = colours(), k = run ? at(run) : 0, proof = proofs[i];
    if (run && run.kind === "updates") count(run, k);
    const size = sizesOf(run), w = run && weightsAt(run.weights, k), lined = w && (w[0] || w[1]);
    if (lined) for (const s of [1, -1]) paint.area(paper, clip(s * w[0], s * w[1], s * w[2]).inside, shade[s], 0.13);
    if (run && run.field) drawField(paper, run, k, shade);
    if (proof) proof.hulls.forEach((hull, j) => drawHull(paper, hull, shade[j ? 1 : -1]));
    if (lined) drawLines(paper, run, k, w, shade);
    if (run && run.hidden) for (const v of hiddenAt(run, k)) paint.line(paper, clip(...v).ends, shade.accent, 1.8, [], 0.95);
    drawPoints(paper, run, size, shade);
    if (run) drawRings(paper, run, k, size, shade);
    for (const [x, y, side] of (proof && proof.apart) || []) { // of the proof, but not among the points drawn
      paint.mark(paper, x, y, side > 0 ? "square" : "circle", base(), { fill: shade[side], line: shade.paper });
      paint.mark(paper, x, y, "diamond", base() + 18, { line: shade.witness, width: 2.5 });
    }
    for (const j of (proof && proof.places) || []) paint.mark(paper, data.x[j], data.y[j], "diamond", size(j) + 18, { line: shade.witness, width: 2.5 });
    const place = run && run.kind === "updates" && k > 0 ? run.places[k - 1] : -1;
    if (place >= 0) paint.mark(paper, data.x[place], data.y[place], "circle", 22, { line: shade.accent, width: 3.5 });
    const arrow = lined && arrowOf(run, w);
    if (arrow) paint.arrow(paper, arrow, shade.accent);
    if (proof && proof.point.length) paint.mark(paper, ...proof.point, "star", 24, { fill: "#F0E442", line: "#222222", width: 1.5 });
    if (i === 0) for (const [x, y] of ghosts) paint.mark(paper, x, y, "cross", 22, { line: shade.accent, width: 2 });
  }

  function hiddenAt(run, k) { // (w₁, w₂, b) of every hidden unit
    const { units, lines } = run.hidden;
    return Array.from({ length: units }, (_, j) => weightsAt(lines, k * units + j));
  }

  function drawHull(paper, hull, colour) {
    paint.area(paper, hull, colour, 0.08);
    paint.line(paper, [...hull, hull[0]], colour, 1.5, [], 0.8);
  }

  function drawLines(paper, run, k, w, shade) {
    const add = (v, shift, colour, width, dash, alpha) => paint.line(paper, clip(v[0], v[1], v[2] + shift).ends, colour, width, dash, alpha);
    const street = streetOf(run, w);
    if (street) for (const shift of [-street, street]) add(w, shift, shade.ink, 1.2, [2, 4], 0.75);
    if (run.kind === "updates" && k > 0) {
      const old = weightsAt(run.weights, k - 1);
      if (old[0] || old[1]) add(old, 0, shade.ink, 1.6, [8, 6], 0.5);
    }
    if (run.path) { const p = weightsAt(run.path, k); if (p[0] || p[1]) add(p, 0, shade.accent, 1.2, [], 0.9); }
    add(w, 0, shade.ink, 3, [], 1);
  }

  function drawPoints(paper, run, size, shade) { // those that grew lie over the others
    const looks = { "-1": { fill: shade[-1], line: shade.paper }, 1: { fill: shade[1], line: shade.paper } }, plain = base();
    const stamp = (j, s) => paint.mark(paper, data.x[j], data.y[j], data.side[j] > 0 ? "square" : "circle", s, looks[data.side[j]]);
    const grown = [];
    for (let j = 0; j < data.x.length; j++) {
      const s = size(j);
      if (s > plain) grown.push([j, s]); else stamp(j, s);
    }
    for (const [j, s] of grown) stamp(j, s);
  }

  function drawRings(paper, run, k, size, shade) { // support vectors
    let ringed = [];
    if (run.field && run.name === "kernel" && k < run.frames - 1) for (let j = 0; j < run.counts.length; j++) { if (run.counts[j]) ringed.push(j); }
    else if (run.support.length && k === run.frames - 1) ringed = [...run.support].filter((j) => j >= 0);
    for (const j of ringed) paint.mark(paper, data.x[j], data.y[j], "circle", size(j) + 6, { line: shade.ink, width: 1.3 });
  }

  function streetOf(run, w) { // half the width of the street that is drawn, in scores
    if (run.name === "svm" || run.name === "passive_aggressive" || run.name === "adaline" || run.name === "least_squares") return 1;
    if (run.name === "margin") return screen.learners[runs.indexOf(run)][1].theta;
    if (run.name === "logistic" || run.name === "neuron") return Math.log(9);
    if (run.name === "discriminant") return Math.log(9);
    let least = Infinity;
    for (let j = 0; j < data.x.length; j++) {
      const m = data.side[j] * (w[0] * data.x[j] + w[1] * data.y[j] + w[2]);
      if (m <= 0) return 0;
      least = Math.min(least, m);
    }
    return least;
  }

  function arrowOf(run, w) {
    const [left, right, bottom, top] = data.view, width = right - left;
    if (Math.abs(width - (top - bottom)) > 0.01 * width) return null; // w would not stand upright on its line
    if (!run.longestW) {
      run.longestW = 0;
      for (let k = 0; k < run.frames; k++) run.longestW = Math.max(run.longestW, Math.hypot(run.weights[3 * k], run.weights[3 * k + 1]));
    }
    const length = Math.hypot(w[0], w[1]), cx = (left + right) / 2, cy = (bottom + top) / 2;
    const away = (w[0] * cx + w[1] * cy + w[2]) / (length * length);
    const x0 = cx - away * w[0], y0 = cy - away * w[1];
    if (x0 < left || x0 > right || y0 < bottom || y0 > top) return null;
    const long = width * (0.05 + 0.17 * length / run.longestW);
    return [x0, y0, x0 + long * w[0] / length, y0 + long * w[1] / length, Math.atan2(w[1], w[0]) - Math.PI / 2];
  }

  function drawField(paper, run, k, shade) {
    if (run.numbers[k] === 0 && !run.hidden) return;
    const { side: cells, frames, bits } = run.field, start = before(frames, k) * cells * cells / 8;
    const sides = [[...paint.rgb(shade[-1]), 255], [...paint.rgb(shade[1]), 255]];
    paint.cells(paper, cells, cells, data.view, (j) => sides[(bits[start + (j >> 3)] >> (j & 7)) & 1], 0.18);
  }

  function drawCurve() {
    const most = Math.max(1, longest());
    models.curve_plot.x_range.setv({ start: -0.02 * most, end: 1.03 * most });
    let high = 1;
    ["first", "second"].forEach((name, i) => {
      const run = runs[i];
      const shown = run ? evenly(run.errors.length) : [];
      const y = shown.map((j) => 100 * run.errors[j]);
      for (const value of y) high = Math.max(high, value);
      if (y.length || models[`curve_${name}`].data.y.length) models[`curve_${name}`].data = { x: shown.map((j) => run.error_frames[j]), y };
    });
    models.curve_plot.y_range.setv({ start: -0.04 * high, end: Math.min(104, 1.12 * high) });
    const units = runs.map((run) => (run.kind === "updates" ? "updates" : run.kind === "once" ? "step" : "epochs"));
    models.curve_plot.below[0].axis_label = units.length < 2 || units[0] === units[1] ? units[0] || "updates"
      : runs.map((run, i) => `${units[i]} of ${run.title}`).join(", ");
  }

  function theProof() {
    const i = proofs.findIndex((proof) => proof.applies);
    return i < 0 ? [proofs[0], runs[0]] : [proofs[i], runs[i]];
  }

  function tellProof() { // in words; the curves come when there is time to draw them
    const [proof, run] = theProof();
    for (const id of ["bound-key", "up-key", "down-key"]) $(id).hidden = !(proof && proof.applies && proof.bound !== null);
    $("proof-key").hidden = !(run && run.lengths.length);
    write("proof-sentence", proof ? (runs.length > 1 && proof.applies ? `${run.title}. ` : "") + proof.sentence : screen.trouble || "Looking for a proof …");
    $("prove").dataset.verdict = proof ? proof.verdict : "";
    const drawable = run && run.lengths.length && run.frames > 1;
    $("proof-plot").hidden = !drawable && !(proof && proof.applies);
    if (proof && proof.applies && proof.bound !== null) {
      write("bound", `at most ${number(proof.bound)}`);
      write("ceiling", proof.ceiling);
      write("floor", proof.floor);
    }
  }

  const curves = new Map();
  function setCurve(name, x, y) { // unless it is the curve that is already there
    const key = JSON.stringify([x, y]);
    if (curves.get(name) === key) return;
    curves.set(name, key);
    models[name].data = { x, y };
  }

  function drawProof() {
    tellProof();
    const [proof, run] = theProof(), bounded = proof && proof.applies && proof.bound !== null;
    $("prove").classList.toggle("stale", false);
    if (!run || !run.lengths.length || run.frames < 2) {
      for (const name of ["ceiling", "floor", "all"]) setCurve(`proof_${name}`, [], []);
      models.proof_bound.visible = false;
      if (run) run.shown = null;
      return;
    }
    run.shown = rising(run.frames);
    const x = run.shown.map((k) => run.numbers[k]), y = run.shown.map((k) => run.lengths[k]);
    let end = 1.6 * Math.max(2, run.numbers[run.frames - 1]), high = 0, low = Infinity;
    for (const value of y) { high = Math.max(high, value); if (value > 0) low = Math.min(low, value); }
    if (!Number.isFinite(low)) low = 0.1;
    if (bounded) {
      end = 1.6 * Math.max(2, proof.bound);
      high = Math.max(high, end * proof.radius_squared);
      low = Math.min(low, proof.gamma_squared);
    }
    const grid = bounded ? Array.from({ length: 60 }, (_, j) => Math.pow(end, j / 59)) : [];
    setCurve("proof_all", x, y);
    setCurve("proof_ceiling", grid, grid.map((k) => k * proof.radius_squared));
    setCurve("proof_floor", grid, grid.map((k) => k * k * proof.gamma_squared));
    models.proof_bound.visible = Boolean(bounded);
    if (bounded) models.proof_bound.location = Math.max(1, proof.bound);
    models.proof_plot.x_range.setv({ start: 0.9, end });
    models.proof_plot.y_range.setv({ start: 0.3 * (low || 0.1), end: 4 * high || 1 });
  }

  function drawMoments() { // where the frame on view lies in the small figures
    const shade = colours(), proof = $("proof-plot").hidden ? null : paperOf("proof"), curve = paperOf("curve");
    const [, run] = theProof();
    if (proof && run && run.shown) {
      const k = at(run), past = run.shown.filter((j) => j < k);
      if (k) past.push(k);
      paint.line(proof, past.map((j) => [run.numbers[j], run.lengths[j]]).filter(([, length]) => length > 0), shade.ink, 2.5);
      if (k && run.lengths[k] > 0) paint.mark(proof, run.numbers[k], run.lengths[k], "circle", 10, { fill: shade.accent });
    }
    if (curve) for (const r of runs) if (r.errors.length) paint.mark(curve, at(r), 100 * r.errors[before(r.error_frames, at(r))], "circle", 9, { fill: shade.accent });
    moveOnSurface();
    markEpoch();
  }

  const withLand = () => runs.find((r) => r.surface) || runs.find((r) => r.image);

  function drawSurface() {
    const run = withLand();
    $("land").hidden = !run;
    models.landscape_heat.visible = Boolean(run && run.surface);
    if (!run) return;
    const plot = models.landscape_plot, view = run.surface ? run.surface.view : [0, 28, 0, 28];
    plot.x_range.setv({ start: view[0], end: view[1] });
    plot.y_range.setv({ start: view[2], end: view[3] });
    plot.below[0].axis_label = run.surface ? "w₁" : "pixels of the weights";
    plot.left[0].axis_label = run.surface ? "w₂" : "";
    $("land-title").textContent = run.surface ? "The loss, and the way down" : "The weights as an image";
    $("land-note").textContent = run.surface ? run.surface.note : `Orange pixels speak for ${data.classes[1]}, blue ones for ${data.classes[0]}.`;
    if (run.surface) {
      const values = run.surface.values, image = models.landscape_field.data.image[0];
      let low = Infinity, high = -Infinity;
      for (const value of values) { low = Math.min(low, value); high = Math.max(high, value); }
      for (let j = 0; j < values.length; j++) image[j] = Math.sqrt((values[j] - low) / (high - low || 1));
      Object.assign(models.landscape_field.data, { x: [view[0]], y: [view[2]], dw: [view[1] - view[0]], dh: [view[3] - view[2]] });
      models.landscape_field.change.emit();
    }
  }

  function moveOnSurface() {
    const run = withLand(), paper = run && paperOf("landscape");
    if (!paper) return;
    const k = at(run);
    if (run.surface) {
      const way = [...evenly(run.frames).filter((place) => place < k), k].map((j) => [run.weights[3 * j], run.weights[3 * j + 1]]);
      paint.line(paper, way, "#ffffff", 2.5);
      paint.mark(paper, ...way[way.length - 1], "circle", 11, { fill: ORANGE, line: "#ffffff", width: 2 });
    } else drawWeights(paper, run.image, before(run.image.frames, k));
  }

  function drawWeights(paper, image, place) { // white is 0; blue and orange speak for the two classes
    const [tall, wide] = image.shape, blue = paint.rgb(BLUE), orange = paint.rgb(ORANGE);
    paint.cells(paper, wide, tall, [0, 28, 0, 28], (j) => {
      const value = image.values[place * tall * wide + j] / 127, colour = value < 0 ? blue : orange, share = Math.abs(value);
      return [...colour.map((c) => 247 + share * (c - 247)), 255];
    });
  }

  // ---------------------------------------------------------------- words

  const number = (v) => Math.round(v).toLocaleString("en");
  const counted = (n, noun) => `${number(n)} ${noun}${n === 1 ? "" : "s"}`;
  const short = (v) => {
    const size = Math.abs(v);
    const text = v === 0 ? "0" : Number.isInteger(v) && size < 1e6 ? v.toLocaleString("en") : size >= 1e6 || size < 0.005 ? v.toExponential(1)
      : size >= 1000 ? v.toLocaleString("en", { maximumFractionDigits: 0 }) : v.toFixed(2);
    return text.replaceAll("-", "−");
  };
  const vector = (v) => `(${v.slice(0, -1).map(short).join(",\u00a0")}\u00a0|\u00a0${short(v[v.length - 1])})`;

  function explain() {
    const run = runs[0];
    if (!run) { $("sentence").textContent = screen.trouble; $("formula").textContent = ""; $("paragraph").textContent = data.about; $("links").textContent = ""; spoken = null; hint(); return; }
    const k = at(run), total = run.frames - 1;
    write("sentence", (runs.length > 1 ? `${run.title}: ` : "") + sentence(run, k, total));
    write("formula", formula(run, k));
    const told = runs.map((r) => (runs.length > 1 ? `${r.title}: ` : "") + r.paragraph).join(" ");
    if (spoken !== told) { // text that stays is left alone
      spoken = told;
      $("paragraph").textContent = told;
      $("links").replaceChildren(...runs.flatMap((r, i) => [`${i ? " · " : ""}${r.title}: `, link(`lecture row ${r.links.row}`, r.links.lecture),
        ...(r.links.docs ? [", ", link(r.links.page, r.links.docs)] : [])]));
    }
    hint();
  }

  function link(text, address) {
    const made = document.createElement("a");
    Object.assign(made, { textContent: text, href: address, target: "_blank", rel: "noopener" });
    return made;
  }

  function sentence(run, k, total) {
    if (run.kind === "once") return k ? "The formula has been applied: this is the line." : "Before: no line yet. One step applies the formula.";
    if (k === 0) return run.hidden || run.weights && (run.weights[0] || run.weights[1]) ? "The start: random weights." : "The start: all weights are zero, so there is no line yet.";
    if (run.kind === "epochs") {
      const wrong = Math.round(run.errors[before(run.error_frames, k)] * data.total);
      return `After epoch ${number(run.numbers[k])}: ${number(wrong)} of ${number(data.total)} points are on the wrong side.` + (k === total ? " " + run.ending : "");
    }
    const row = run.rows[k - 1], sign = run.sides[k - 1], place = run.places[k - 1];
    const epoch = 1 + run.epoch_ends.findIndex((end) => end >= k);
    const where = place >= 0 && data.flat ? ` at (${short(data.x[place])}, ${short(data.y[place])})` : "";
    const name = `${nameOf(sign)} point ${number(row + 1)}${where}`;
    const m = marginBefore(run, k);
    const why = m === null ? "was learned from" : m <= 0 ? `was a mistake: its margin was ${short(m)} ≤ 0` : reason(run, m, run.steps[k - 1] * sign);
    return `Update ${number(run.numbers[k])}, epoch ${epoch}: the ${name} ${why}.` + (k === total ? " " + run.ending : "");
  }

  function reason(run, m, pull) { // why a point on its right side was learned from
    const right = `was right, with a margin of ${short(m)}`;
    if (run.name === "adaline") return `${right}; 1 is wanted, so it ${pull < 0 ? "pushes the line nearer" : "pulls the line away"}`;
    if (run.name === "logistic" || run.name === "neuron") return `${right}; every point pulls a little`;
    return pull ? `was right, but its margin was only ${short(m)}` : `${right}, and the weights only shrank`;
  }

  function sampleOf(run, k) {
    const place = run.places[k - 1];
    if (place >= 0 && data.flat) return [data.x[place], data.y[place]];
    return (run.samples && run.samples[run.rows[k - 1]]) || null;
  }

  function marginBefore(run, k) {
    if (run.margins.length) return Number.isFinite(run.margins[k - 1]) ? run.margins[k - 1] : null;
    const list = run.path || run.weights, x = data.flat ? sampleOf(run, k) : null;
    if (!list || !x || run.numbers[k] - run.numbers[k - 1] !== 1) return null;
    const w = weightsAt(list, k - 1), sign = run.sides[k - 1];
    return sign * (w[0] * x[0] + w[1] * x[1] + w[2]);
  }

  function formula(run, k) {
    const whose = runs.length > 1 ? `${run.title}\n` : "";
    return whose + ownFormula(run, k) + answered(run, k);
  }

  function answered(run, k) { // the answer beside the perceptron underneath it
    if (!run.path || !run.weights || !k) return "";
    const name = run.answer === "averaged" ? "mean so far" : "in the pocket";
    return `\n\nThe answer, ${name}:\n(w | b) = ${vector(weightsAt(run.weights, k))}`;
  }

  function ownFormula(run, k) {
    const list = run.path || run.weights;
    if (run.kind === "updates" && k > 0 && list && data.flat) {
      const x = sampleOf(run, k), w = weightsAt(list, k - 1), now = weightsAt(list, k);
      if (x && run.numbers[k] - run.numbers[k - 1] === 1) {
        const y = run.sides[k - 1], pull = run.steps[k - 1] * y, sign = y < 0 ? "−1" : "+1", shrink = run.shrinks[k - 1];
        const size = Math.abs(pull), times = shrink === 1 ? "" : `${shrink.toFixed(4)} · `;
        const under = list === run.path || run.answer === "voted" ? "The perceptron underneath:\n" : "";
        return `${run.formula}\n\n${under}(w | b) ← ${times}${vector(w)}\n        ${pull < 0 ? "−" : "+"} ${short(size)} · (${sign}) · ${vector([...x, 1])}\n        = ${vector(now)}`;
      }
    }
    if (run.kind === "updates" && k > 0 && !list && run.name === "kernel") {
      const place = run.places[k - 1];
      const y = run.sides[k - 1] < 0 ? "−1" : "+1", m = run.margins.length ? run.margins[k - 1] : NaN;
      const score = Number.isFinite(m) ? `\ny Σ_j α_j y_j K(x_j, x) = (${y}) · ${short(m * run.sides[k - 1])} = ${short(m)} ≤ 0` : "";
      return `${run.formula}\n\nPoint ${number(run.rows[k - 1] + 1)}:${score}\nα ← ${place >= 0 ? run.counts[place] - 1 : "…"} + 1`;
    }
    if (run.hidden) {
      const rows = hiddenAt(run, k).slice(0, 4).map((v, j) => `\nunit ${j + 1}: (w | b) = ${vector(v)}`);
      return `${run.formula}\n${rows.join("")}${run.hidden.units > 4 ? `\n… and ${run.hidden.units - 4} more` : ""}`;
    }
    if (run.weights && data.flat) return `${run.formula}\n\n(w | b) = ${vector(weightsAt(run.weights, k))}`;
    if (k > 0 && run.kind === "updates" && run.margins.length && Number.isFinite(run.margins[k - 1])) {
      const pull = run.steps[k - 1] * run.sides[k - 1], length = run.lengths.length ? `\n‖(w | b)‖² = ${short(run.lengths[k])}` : "";
      return `${run.formula}\n\ny (w·x + b) = ${short(run.margins[k - 1])}\n(w | b) ← ${run.shrinks[k - 1] === 1 ? "" : run.shrinks[k - 1].toFixed(4) + " · "}(w | b) + ${short(pull)} · (${run.sides[k - 1] < 0 ? "−1" : "+1"}) · (x | 1)${length}`;
    }
    return run.formula;
  }

  function hint() {
    let text = "";
    if (screen.trouble) text = screen.trouble;
    else if (!data.flat) text = "Each point is an image; scrub, and watch the weights take shape.";
    else if (playing) text = "Click anywhere in the picture: your point joins in.";
    else if (stayed && frame < longest()) text = "Learned anew from the start; this is the same step of the new run.";
    else if (frame >= longest() && wrongAtEnd()) text = "Some points stay wrong. Try another learner, or move a point.";
    else if (fresh && frame >= longest()) text = "It has learned. Now click to add a point that it gets wrong.";
    else if (frame < longest()) text = "Press Play, or → for one step.";
    else text = "Click to add a point, drag one, or choose another set or learner.";
    write("hint", text);
  }

  const wrongAtEnd = () => runs.length > 0 && runs.every((run) => run.errors.length && run.errors[run.errors.length - 1] > 0);

  function fillTable() {
    const table = $("table");
    $("table-box").hidden = !runs.some((run) => run.cells.length);
    table.replaceChildren();
    if (!$("table-box").open) return; // it is filled when it is opened
    runs.forEach((run) => {
      if (!run.cells.length) return;
      const head = table.createTHead().insertRow();
      for (const name of run.columns) { const cell = document.createElement("th"); cell.scope = "col"; cell.textContent = name.replace("_", " "); head.append(cell); }
      const body = table.createTBody();
      run.cells.forEach((cells) => { const line = body.insertRow(); for (const text of cells) line.insertCell().textContent = text; });
    });
  }

  function tellEnding() {
    write("ending", runs.map((run) => (runs.length > 1 ? run.title + ": " : "") + run.ending).join(" ")
      + (runs.some((run) => run.notes.length) ? " " + runs.flatMap((run) => run.notes).join(" ") : ""));
  }

  let marked = null;
  function markEpoch() {
    const run = runs[0];
    if (!run || !$("table-box").open) return;
    const line = $("table").tBodies[0] && $("table").tBodies[0].rows[Math.max(0, run.epoch_ends.findIndex((end) => end >= at(run)))];
    if (marked === line) return;
    if (marked) marked.className = "";
    marked = line;
    if (line) line.className = "now";
  }

  async function fetchScript() {
    const reply = await ask({ do: "script", frame });
    $("script").textContent = reply.script || reply.message;
  }

  // ---------------------------------------------------------------- menus

  function optionsInto(box, options, values, changed) {
    const key = JSON.stringify([options.map((o) => o.name), values]);
    if (box.dataset.key === key) return;
    const focus = box.contains(document.activeElement) ? document.activeElement.id : "";
    box.dataset.key = key;
    box.replaceChildren();
    for (const option of options) {
      if (option.only && !option.only[1].split("|").includes(String(values[option.only[0]]))) continue;
      const line = document.createElement("label");
      line.className = "option" + (option.choices.length ? "" : " number");
      const name = document.createElement("span");
      name.textContent = option.label;
      line.append(name);
      const send = (value) => changed({ ...values, [option.name]: value });
      if (option.choices.length) {
        const select = document.createElement("select");
        for (const choice of option.choices) select.add(new Option(choice, choice));
        select.value = values[option.name];
        select.id = `${box.id}-${option.name}`;
        select.addEventListener("change", () => send(select.value));
        line.append(select);
      } else {
        const slider = document.createElement("input"), box2 = document.createElement("input");
        slider.type = "range"; box2.type = "number";
        slider.setAttribute("aria-label", option.label + ", slider");
        box2.setAttribute("aria-label", option.label);
        slider.id = `${box.id}-${option.name}-slider`; box2.id = `${box.id}-${option.name}`;
        const to = (v) => (option.logarithmic ? Math.log(v / option.low) / Math.log(option.high / option.low) : (v - option.low) / (option.high - option.low));
        const from = (t) => { const v = option.logarithmic ? option.low * Math.pow(option.high / option.low, t) : option.low + t * (option.high - option.low); return option.whole ? Math.round(v) : Number(v.toPrecision(2)); };
        slider.min = 0; slider.max = 1; slider.step = option.whole ? 1 / Math.max(1, option.high - option.low) : 0.01; slider.value = to(values[option.name]);
        box2.min = option.low; box2.max = option.high; box2.step = "any"; box2.value = values[option.name];
        slider.addEventListener("input", () => { box2.value = Math.min(option.high, Math.max(option.low, from(Number(slider.value)))); });
        slider.addEventListener("change", () => send(Number(box2.value)));
        box2.addEventListener("change", () => send(box2.value === "" ? null : Number(box2.value)));
        line.append(slider, box2);
      }
      box.append(line);
    }
    if (focus && $(focus)) $(focus).focus();
  }

  function fillMenus() {
    $("set").add(new Option("", "edited"));
    for (const set of lab.menu.sets) {
      const option = new Option(set.title + (set.missing ? " (not on this machine)" : ""), set.name);
      option.disabled = Boolean(set.missing);
      option.title = set.missing;
      $("set").add(option);
    }
    $("set").add(new Option("Your own data", "own"));
    $("set").options[$("set").options.length - 1].hidden = true;
    $("learner1").add(new Option("nobody", ""));
    for (const learner of lab.menu.learners) for (const i of [0, 1]) $(`learner${i}`).add(new Option(learner.title, learner.name));
  }

  function setMenus() {
    const set = lab.menu.sets.find((s) => s.name === screen.set), edited = $("set").options[0];
    edited.hidden = !screen.edited;
    edited.text = !screen.edited ? "" : screen.edited === "cleared" ? "Your own points" : `${set ? set.title : "Your own data"}, edited`;
    $("set").value = screen.edited ? "edited" : screen.set; // so that the set itself can be chosen again
    optionsInto($("set-options"), set && screen.edited !== "cleared" ? set.options : [], screen.set_values, (values) => change({ do: "set", name: screen.set, values }));
    for (const i of [0, 1]) {
      const chosen = screen.learners[i];
      $(`learner${i}`).value = chosen ? chosen[0] : "";
      const learner = chosen && lab.menu.learners.find((a) => a.name === chosen[0]);
      optionsInto($(`options${i}`), learner ? learner.options : [], chosen ? chosen[1] : {}, (values) => change({ do: "learner", which: i, name: chosen[0], values }));
    }
    $("seed").value = screen.seed;
    $("seed").disabled = screen.learners.every(([, values]) => values.order !== "shuffled" && !values.start && !values.units);
    $("seed-row").title = $("seed").disabled ? "Nothing is drawn by lot here: the points come in their own order." : "";
    $("class-plus").textContent = "■ " + nameOf(1);
    $("class-minus").textContent = "● " + nameOf(-1);
    const why = lab.menu.sets.map((s) => s.missing).filter(Boolean).join(" ");
    $("about").textContent = data.about + (why ? " " + why : "");
    for (const input of document.querySelectorAll("#tools input")) input.disabled = !data.flat;
  }

  // A class by its colour and, where it has one, its name.
  const nameOf = (s) => {
    const name = data.classes[s > 0 ? 1 : 0], colour = s > 0 ? "orange" : "blue";
    return ["−1", "+1"].includes(name) ? colour : `${colour} (${name.length > 24 ? name.slice(0, 23) + "…" : name})`;
  };

  function setTour() {
    const tour = screen.tour;
    $("tour").hidden = !tour;
    $("tour-open").hidden = Boolean(tour);
    if (!tour) return;
    $("tour-title").textContent = `${tour.number} · ${tour.title}`;
    $("tour-text").textContent = tour.text;
    $("tour-task").textContent = "Try: " + tour.task;
    $("tour-place").replaceChildren(`${tour.number} of ${lab.menu.tour.length} · `, link(`lecture row ${tour.row}`, `lecture/${tour.row}`));
    $("tour-back").disabled = tour.number === 1;
    $("tour-next").textContent = tour.number === lab.menu.tour.length ? "Finish" : "Next →";
  }

  async function tourTo(step) {
    play(false);
    const reply = await change({ do: "tour", step });
    if (reply.tour && !reply.tour.end && !matchMedia("(prefers-reduced-motion: reduce)").matches) play(true);
  }

  // ---------------------------------------------------------------- drawing by hand

  function nearest(x, y, most = 14) {
    const plot = models.plane0_plot, [left, right, bottom, top] = data.view;
    const wide = (plot.inner_width || 400) / (right - left), tall = (plot.inner_height || 400) / (top - bottom);
    let best = -1, least = most * most;
    for (let j = 0; j < data.x.length; j++) {
      const dx = (data.x[j] - x) * wide, dy = (data.y[j] - y) * tall, distance = dx * dx + dy * dy;
      if (distance <= least) { least = distance; best = j; }
    }
    return best;
  }

  const round = (v) => { // a thousandth of the view is fine enough, and short in an address
    const digits = Math.max(0, 3 - Math.floor(Math.log10(data.view[1] - data.view[0])));
    return Number(v.toFixed(Math.min(12, digits)));
  };

  function use(x, y) { // the chosen tool at a place
    if (!data.flat) return say("These points are images; choose two pixels or two principal axes to draw.");
    fresh = false;
    const j = nearest(x, y);
    if (tool === "delete") return j >= 0 && change({ do: "delete", rows: [data.rows[j]] });
    if (tool === "flip") return j >= 0 && change({ do: "flip", row: data.rows[j] });
    if (tool === "spray") return change({ do: "add", label: side, places: cloud(x, y) });
    if (j >= 0) return undefined; // a click on a point is the beginning of a drag
    return change({ do: "add", label: side, places: [[round(x), round(y)]] });
  }

  function cloud(x, y) {
    const spread = 0.05 * (data.view[1] - data.view[0]), upright = 0.05 * (data.view[3] - data.view[2]);
    return Array.from({ length: 6 }, () => {
      const angle = 2 * Math.PI * Math.random(), far = Math.sqrt(-2 * Math.log(1 - Math.random())) * 0.7;
      return [round(x + spread * far * Math.cos(angle)), round(y + upright * far * Math.sin(angle))];
    });
  }

  function placeOf(event) { // where a pointer is, in the units of the points
    const frame = Bokeh.index.find_one(models.plane0_plot).frame.bbox, box = $("plane0").getBoundingClientRect();
    const [left, right, bottom, top] = data.view;
    const across = (event.clientX - box.x - $("plane0").clientLeft - frame.left) / frame.width;
    const up = 1 - (event.clientY - box.y - $("plane0").clientTop - frame.top) / frame.height;
    return { x: left + across * (right - left), y: bottom + up * (top - bottom), inside: across >= 0 && across <= 1 && up >= 0 && up <= 1 };
  }

  // A finger that holds a point or sprays does not scroll the page; any other does.
  function drawsWith(event) {
    if (event.touches.length !== 1 || !data.flat) return false;
    const { x, y, inside } = placeOf(event.touches[0]);
    return inside && (tool === "spray" || (tool === "draw" && nearest(x, y, 18) >= 0));
  }

  let pressed = null;
  function press(event) {
    if (event.button || !placeOf(event).inside) return;
    pressed = { x: event.clientX, y: event.clientY, far: false };
    drag("start", placeOf(event));
  }

  function slide(event) {
    if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > 4) pressed.far = true;
    if (pressed.far) drag("move", placeOf(event));
  }

  function release(event) {
    const { far } = pressed, place = placeOf(event);
    pressed = null;
    if (event.type === "pointercancel") { held = null; ghost([]); return; } // the page is being scrolled
    if (far) drag("end", place);
    else { held = null; use(place.x, place.y); }
  }

  let sprayed = [];
  function drag(kind, event) {
    if (!data.flat) return;
    const { x, y } = event;
    if (kind === "start") {
      sprayed = [];
      held = tool === "draw" ? nearest(x, y, 18) : -1;
      return;
    }
    if (tool === "spray") {
      if (kind === "move" && (!sprayed.length || Math.random() < 0.5)) { sprayed.push(...cloud(x, y).slice(0, 2)); ghost(sprayed); }
      if (kind === "end") { ghost([]); if (sprayed.length) change({ do: "add", label: side, places: sprayed }); }
      return;
    }
    if (held === null || held < 0) return;
    data.x[held] = round(x);
    data.y[held] = round(y);
    if (kind === "end") { const row = data.rows[held]; fresh = false; const j = held; held = null; change({ do: "move", row, x: data.x[j], y: data.y[j] }); }
    else drawPlanes();
  }

  function ghost(places) {
    ghosts = places;
    drawPlanes();
  }

  let carried = null;
  function carry() { // the nearest point is taken up; the second time it is put down at the cross
    if (!data.flat) return;
    if (carried === null) {
      const j = nearest(...cursor, 40);
      if (j < 0) { say("There is no point near the cross; move it nearer."); return; }
      carried = { row: data.rows[j], generation: screen.generation };
      say(`Point ${number(carried.row + 1)} is taken; move the cross and press m again.`);
      return;
    }
    const { row, generation } = carried;
    carried = null;
    say("");
    if (generation === screen.generation) { fresh = false; change({ do: "move", row, x: round(cursor[0]), y: round(cursor[1]) }); }
  }

  function keyInPicture(event) {
    const [left, right, bottom, top] = data.view, moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    cursor = cursor || [(left + right) / 2, (bottom + top) / 2];
    if (moves[event.key]) {
      const far = event.shiftKey ? 0.1 : 0.02;
      cursor = [Math.min(right, Math.max(left, cursor[0] + far * (right - left) * moves[event.key][0])),
        Math.min(top, Math.max(bottom, cursor[1] + far * (top - bottom) * moves[event.key][1]))];
      ghost([cursor]);
    } else if (event.key === "Enter") use(...cursor);
    else if (event.key === "Delete" || event.key === "Backspace") { const j = nearest(...cursor, 40); if (j >= 0) change({ do: "delete", rows: [data.rows[j]] }); }
    else if (event.key === "m") carry();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // ---------------------------------------------------------------- listening

  function listen() {
    $("play").onclick = () => play(!playing);
    $("step").onclick = () => { play(false); go(frame + 1); };
    $("back").onclick = () => { play(false); go(frame - 1); };
    $("first").onclick = () => { play(false); go(0); };
    $("epoch").onclick = () => { play(false); nextEpoch(1); };
    $("scrub").oninput = () => { const to = Number($("scrub").value); if (playing) play(false); go(to); };
    $("undo").onclick = () => change({ do: "undo" });
    $("redo").onclick = () => change({ do: "redo" });
    $("clear").onclick = () => change({ do: "clear" });
    $("set").onchange = () => { fresh = false; change({ do: "set", name: $("set").value }).then(() => play(true)); };
    $("learner0").onchange = () => { fresh = false; change({ do: "learner", which: 0, name: $("learner0").value }).then(() => play(true)); };
    $("learner1").onchange = () => {
      fresh = false;
      const name = $("learner1").value;
      (screen.learners.length > 1 && name ? change({ do: "learner", which: 1, name }) : change({ do: "compare", name })).then(() => play(true));
    };
    $("seed").onchange = () => change({ do: "seed", seed: $("seed").value === "" ? null : Number($("seed").value) });
    $("sizes").onchange = drawPlanes;
    for (const input of document.querySelectorAll("input[name=class]")) input.onchange = () => { side = Number(input.value); };
    for (const input of document.querySelectorAll("input[name=tool]")) input.onchange = () => { tool = input.value; };
    $("theme").onclick = () => { const name = dark ? "light" : "dark"; localStorage.setItem("theme", name); theme(name); };
    $("share").onclick = share;
    for (const button of document.querySelectorAll("[data-export]")) button.onclick = () => save(button.dataset.export);
    $("tour-open").onclick = () => tourTo(1);
    $("tour-next").onclick = () => tourTo(screen.tour.number < lab.menu.tour.length ? screen.tour.number + 1 : 0);
    $("tour-back").onclick = () => tourTo(screen.tour.number - 1);
    $("tour-close").onclick = () => tourTo(0);
    $("python-box").ontoggle = () => { if ($("python-box").open) fetchScript(); };
    $("table-box").ontoggle = () => { fillTable(); marked = null; markEpoch(); };
    $("copy-script").onclick = () => copy($("script").textContent, "The script is copied.");
    $("file").onchange = () => upload($("file").files[0]);
    $("columns").onsubmit = (event) => { event.preventDefault(); chooseColumns(); };
    $("plane0").addEventListener("keydown", keyInPicture);
    $("plane0").addEventListener("blur", () => ghost([]));
    document.addEventListener("keydown", keys);
    const box = $("plane0");
    box.addEventListener("touchstart", (event) => { if (drawsWith(event)) event.preventDefault(); }, { passive: false });
    box.addEventListener("pointerdown", press, true);
    box.addEventListener("pointermove", (event) => pressed && slide(event), true);
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, (event) => pressed && release(event), true);
    document.body.addEventListener("dragover", (event) => event.preventDefault());
    document.body.addEventListener("drop", (event) => { event.preventDefault(); if (event.dataTransfer.files[0]) upload(event.dataTransfer.files[0]); });
  }

  function keys(event) {
    const tag = event.target.tagName;
    if (event.ctrlKey || event.metaKey || event.altKey || tag === "SELECT" || tag === "TEXTAREA") return;
    if (tag === "INPUT" && ["number", "text"].includes(event.target.type)) return;
    const ranged = tag === "INPUT" && ["range", "radio"].includes(event.target.type);
    const pick = (name, value) => { const input = document.querySelector(`input[name=${name}][value="${value}"]`); input.checked = true; input.onchange(); };
    const doing = {
      " ": ["BUTTON", "SUMMARY"].includes(tag) || (tag === "INPUT" && event.target.type !== "range") ? null : () => play(!playing),
      ArrowRight: ranged ? null : () => { play(false); go(frame + 1); },
      ArrowLeft: ranged ? null : () => { play(false); go(frame - 1); },
      Home: ranged ? null : () => { play(false); go(0); }, End: ranged ? null : () => { play(false); go(longest()); },
      n: () => { play(false); nextEpoch(1); }, b: () => { play(false); nextEpoch(-1); },
      u: () => change({ do: "undo" }), r: () => change({ do: "redo" }),
      1: () => pick("class", -1), 2: () => pick("class", 1),
      a: () => pick("tool", "draw"), s: () => pick("tool", "spray"), f: () => pick("tool", "flip"), d: () => pick("tool", "delete"),
    }[event.key];
    if (!doing) return;
    event.preventDefault();
    doing();
  }

  function theme(name) {
    dark = name === "dark";
    document.documentElement.dataset.theme = name;
    $("theme").textContent = dark ? "Light" : "Dark";
    $("theme").setAttribute("aria-pressed", String(dark));
    const ink = dark ? "#e9ebee" : "#1b1d21", line = dark ? "#3a3f49" : "#e2e5ea", shade = colours();
    for (const key of Object.keys(models).filter((k) => k.endsWith("_plot"))) {
      const plot = models[key];
      for (const axis of [...plot.below, ...plot.left]) axis.setv({ axis_label_text_color: ink, major_label_text_color: ink, axis_line_color: line, major_tick_line_color: line, minor_tick_line_color: null, axis_label_text_font_style: "normal" });
      for (const grid of plot.center.filter((c) => c.type === "Grid")) grid.grid_line_color = line;
    }
    models.proof_bound.line_color = ink;
    const lines = models.proof_plot.renderers;
    lines[0].glyph.line_color = shade[1];
    lines[1].glyph.line_color = shade[-1];
    models.curve_plot.renderers[0].glyph.line_color = ink;
    if (screen) draw();
  }

  function copy(text, said) {
    const done = () => say(said);
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => say(text));
    else say(text);
  }

  async function share() {
    const reply = await ask({ do: "frame", frame });
    if (reply.lost) return;
    setAddress(reply.address);
    if (!reply.address) say("There is too much on this screen for a link; share the exported data instead.");
    else copy(location.href, "The link is copied: it holds everything on this screen.");
  }

  async function save(kind) {
    $("export").open = false;
    if (kind === "gif") say("Drawing the animation …");
    const reply = await ask({ do: "export", kind, frame, dark, sizes: $("sizes").checked });
    if (!reply.file) return say(reply.message);
    if (kind === "gif" || reply.message) say(reply.message || "");
    const bytes = Uint8Array.from(atob(reply.file.content), (c) => c.charCodeAt(0));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes], { type: reply.file.kind }));
    link.download = reply.file.name;
    link.click();
    return setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  async function upload(file) {
    if (!file) return;
    $("columns").hidden = true;
    if (file.size > 16e6) { say(`A file may have 16 MB, but this has ${number(file.size / 1e6)} MB; take a part of it.`); return; }
    const reply = await ask({ do: "upload", text: await file.text() });
    $("file").value = "";
    if (!reply.columns) { say(reply.message); return; }
    say("");
    for (const [id, name] of [["column-x", "x"], ["column-y", "y"], ["column-target", "target"]]) {
      $(id).replaceChildren(...reply.columns.map((column) => new Option(column, column)));
      $(id).value = reply.proposal[name];
    }
    $("columns-said").textContent = `${file.name}: ${number(reply.count)} rows. Which columns?`;
    $("columns").hidden = false;
    $("column-x").focus();
  }

  async function chooseColumns() {
    fresh = false;
    const reply = await change({ do: "columns", x: $("column-x").value, y: $("column-y").value, target: $("column-target").value });
    if (reply.set === "own") $("columns").hidden = true;
  }

  lab.idle = () => !owedWork.length;
  lab.state = () => ({ frame, playing, runs, data, proofs, screen });
  return lab;
})();
