// Canvases over bokeh's figures. Bokeh draws the axes and what stands still; what moves is painted here, because bokeh
// paints a whole figure anew, with its axes, for every change.
window.labPaint = (function () {
  "use strict";
  const canvases = new Map(), views = new Map(), stamps = new Map();

  function viewOf(figure) {
    if (!views.has(figure.id)) views.set(figure.id, Bokeh.index.find_one(figure));
    return views.get(figure.id);
  }

  // A clean canvas over the frame of a figure, with the way from the figure's units to pixels; nothing where no room is.
  function open(figure, host) {
    const view = viewOf(figure), frame = view && view.frame.bbox;
    if (!frame || !(frame.width > 0 && frame.height > 0)) return null;
    let canvas = canvases.get(figure.id);
    if (!canvas) {
      canvas = document.createElement("canvas");
      canvas.className = "over";
      canvas.setAttribute("aria-hidden", "true");
      host.append(canvas);
      canvases.set(figure.id, canvas);
    }
    const ratio = window.devicePixelRatio || 1, place = [frame.left, frame.top, frame.width, frame.height, ratio].join();
    const pen = canvas.getContext("2d");
    if (canvas.dataset.place !== place) {
      canvas.dataset.place = place;
      canvas.width = Math.round(frame.width * ratio);
      canvas.height = Math.round(frame.height * ratio);
      Object.assign(canvas.style, { left: `${frame.left}px`, top: `${frame.top}px`, width: `${frame.width}px`, height: `${frame.height}px` });
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, frame.width, frame.height);
    const { x_scale: across, y_scale: up } = view.frame;
    return { pen, ratio, x: (v) => across.compute(v) - frame.left, y: (v) => up.compute(v) - frame.top };
  }

  function trace({ pen, x, y }, places) {
    pen.beginPath();
    places.forEach(([a, b], j) => (j ? pen.lineTo(x(a), y(b)) : pen.moveTo(x(a), y(b))));
  }

  function line(paper, places, colour, width, dash = [], alpha = 1) {
    if (places.length < 2) return;
    const { pen } = paper;
    trace(paper, places);
    Object.assign(pen, { strokeStyle: colour, lineWidth: width, globalAlpha: alpha });
    pen.setLineDash(dash);
    pen.stroke();
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  function area(paper, places, colour, alpha) {
    trace(paper, places);
    Object.assign(paper.pen, { fillStyle: colour, globalAlpha: alpha });
    paper.pen.fill();
    paper.pen.globalAlpha = 1;
  }

  const star = (r) => Array.from({ length: 10 }, (_, j) => {
    const far = j % 2 ? 0.4 * r : r, angle = Math.PI * j / 5;
    return [far * Math.sin(angle), -far * Math.cos(angle)];
  });
  const SHAPES = { // around the origin, of a radius
    square: (r) => [[-r, -r], [r, -r], [r, r], [-r, r]],
    diamond: (r) => [[0, -r], [0.75 * r, 0], [0, r], [-0.75 * r, 0]],
    triangle: (r) => [[0, -r], [0.87 * r, 0.5 * r], [-0.87 * r, 0.5 * r]],
    star,
  };

  function shape(pen, kind, r) {
    pen.beginPath();
    if (kind === "circle") pen.arc(0, 0, r, 0, 2 * Math.PI);
    else if (kind === "cross") { pen.moveTo(-r, 0); pen.lineTo(r, 0); pen.moveTo(0, -r); pen.lineTo(0, r); }
    else { SHAPES[kind](r).forEach(([a, b], j) => (j ? pen.lineTo(a, b) : pen.moveTo(a, b))); pen.closePath(); }
  }

  // One mark is drawn once and then stamped: a thousand stamps cost less than a thousand paths.
  function stampOf(kind, size, look, ratio) {
    const key = `${kind},${size},${look.fill || ""},${look.line || ""},${look.width || 1},${ratio}`;
    let stamp = stamps.get(key);
    if (!stamp) {
      if (stamps.size > 500) stamps.clear();
      stamp = document.createElement("canvas");
      stamp.width = stamp.height = 2 * Math.ceil(ratio * (0.5 * size + (look.width || 1) + 2));
      const pen = stamp.getContext("2d");
      pen.translate(stamp.width / 2, stamp.height / 2);
      pen.scale(ratio, ratio);
      shape(pen, kind, 0.5 * size);
      if (look.fill) { pen.fillStyle = look.fill; pen.fill(); }
      if (look.line) { pen.strokeStyle = look.line; pen.lineWidth = look.width || 1; pen.stroke(); }
      stamps.set(key, stamp);
    }
    return stamp;
  }

  function mark({ pen, ratio, x, y }, a, b, kind, size, look) {
    const stamp = stampOf(kind, Math.round(2 * size) / 2, look, ratio), half = stamp.width / 2;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(stamp, Math.round(ratio * x(a)) - half, Math.round(ratio * y(b)) - half);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  function arrow(paper, [x0, y0, x1, y1, angle], colour) {
    line(paper, [[x0, y0], [x1, y1]], colour, 3);
    const { pen, x, y } = paper;
    pen.save();
    pen.translate(x(x1), y(y1));
    pen.rotate(-angle);
    shape(pen, "triangle", 8);
    pen.fillStyle = colour;
    pen.fill();
    pen.restore();
  }

  const small = document.createElement("canvas");
  // Cells from the bottom left, line by line; colour(j) gives red, green, blue and how opaque, 0 … 255 each.
  function cells(paper, wide, tall, view, colour, alpha = 1) {
    small.width = wide;
    small.height = tall;
    const pen = small.getContext("2d"), image = pen.createImageData(wide, tall);
    for (let j = 0; j < wide * tall; j++) image.data.set(colour(j), 4 * ((tall - 1 - Math.floor(j / wide)) * wide + (j % wide)));
    pen.putImageData(image, 0, 0);
    const { x, y } = paper, [left, right, bottom, top] = view;
    paper.pen.imageSmoothingEnabled = false;
    paper.pen.globalAlpha = alpha;
    paper.pen.drawImage(small, x(left), y(top), x(right) - x(left), y(bottom) - y(top));
    paper.pen.globalAlpha = 1;
  }

  const rgb = (hex) => [1, 3, 5].map((j) => parseInt(hex.slice(j, j + 2), 16));

  return { open, line, area, mark, arrow, cells, rgb };
})();
