// Motion between two pictures of a board. The pictures say which of their shapes are pieces, on which
// places, and of which kinds; what a move has done follows from what has changed.

const TIME = 220; // milliseconds of a motion
const FALL = 400; // of a fall over the whole picture
const STEP = 70; // between two pieces that one move sets off, such as seeds
const LAP = 1000; // more than the places of any way along which pieces are sown
const reduced = matchMedia("(prefers-reduced-motion: reduce)");

// Replace the picture in an element. `from` is the centre of where the move between the two began,
// if that is known. The promise is kept when all stands still.
export function movePicture(element, svg, from) {
  if (reduced.matches) return setPicture(element, svg);
  const before = piecesOf(element);
  const old = new Set([...element.firstElementChild.children].map((each) => each.outerHTML));
  setPicture(element, svg);
  const motions = changesOf(before, piecesOf(element), from).map((change) => move(element, change));
  const end = Math.max(0, ...motions.map(({ effect }) => effect.getComputedTiming().endTime));
  // marks, numbers and the like appear when the pieces have arrived
  for (const each of element.firstElementChild.children) {
    if (each.dataset.kind || old.has(each.outerHTML)) continue;
    motions.push(each.animate({ opacity: [0, 1] }, { duration: 80, delay: end, fill: "backwards" }));
  }
  return Promise.allSettled(motions.map((each) => each.finished));
}

export function setPicture(element, svg) {
  element.innerHTML = svg;
  return Promise.resolve();
}

// The pieces of a picture by their places.
export function piecesOf(element) {
  const all = [...element.querySelectorAll("[data-place]")].map((node) => {
    const { x, y, width, height } = node.getBBox();
    const [dx, dy] = node.style.translate.split(" ").map((text) => parseFloat(text) || 0); // dragged
    const { place, kind, enters, step } = node.dataset;
    const centre = { x: x + width / 2 + dx, y: y + height / 2 + (dy ?? 0) };
    const box = { ...centre, width, height, bottom: y + height };
    return [place, { node, kind, enters, step: Number(step ?? 0), ...box }];
  });
  return new Map(all);
}

// The piece that is drawn at a point.
export function pieceAt(element, x, y) {
  const away = (piece) => Math.hypot(piece.x - x, piece.y - y);
  return [...piecesOf(element).values()].sort((a, b) => away(a) - away(b))[0].node;
}

// What has become of pieces: {piece, from} has moved, {piece, over} stands where another was turned
// over, {piece} alone is new, {gone} was taken away.
function changesOf(before, now, from) {
  const came = [...now].filter(([place, { kind }]) => before.get(place)?.kind !== kind);
  const left = [...before].filter(([place, { kind }]) => now.get(place)?.kind !== kind);
  const away = ([, { x, y }]) => (from ? Math.hypot(x - from[0], y - from[1]) : 0);
  left.sort((a, b) => away(a) - away(b));
  const start = left[0]?.[1].step ?? 0;
  const along = ([, { step }]) => (step - start + LAP) % LAP;
  came.sort((a, b) => along(a) - along(b));
  const take = (which) => {
    const index = left.findIndex(which);
    return index < 0 ? undefined : left.splice(index, 1)[0][1];
  };
  const changes = came.map(([place, piece]) => (
    { place, piece, from: take(([, { kind }]) => kind === piece.kind) }
  ));
  changes.filter((each) => each.from).forEach((each, number) => (each.delay = STEP * number));
  for (const change of changes.filter((each) => !each.from)) {
    change.over = take(([place]) => place === change.place);
  }
  return [...changes, ...left.map(([, gone]) => ({ gone }))];
}

function move(element, { piece, from, over, gone, delay = 0 }) {
  const timing = { duration: TIME, delay, fill: "backwards", easing: "ease-in-out" };
  const half = { ...timing, duration: TIME / 2 };
  if (gone) return leave(element, gone.node, { opacity: [1, 0] }, timing);
  if (from) {
    const way = `translate(${from.x - piece.x}px, ${from.y - piece.y}px)`;
    return piece.node.animate({ transform: [way, "none"] }, timing);
  }
  if (over) {
    leave(element, over.node, { transform: ["none", "scaleX(0)"] }, half);
    return piece.node.animate({ transform: ["scaleX(0)", "none"] }, { ...half, delay: TIME / 2 });
  }
  if (piece.enters === "drops") {
    // a fall from twice the height takes √2 times as long
    const { height } = element.firstElementChild.viewBox.baseVal;
    const duration = FALL * Math.sqrt(piece.bottom / height);
    const fall = { ...timing, duration, easing: "cubic-bezier(0.33, 0, 0.67, 0.33)" };
    return piece.node.animate({ transform: [`translateY(${-piece.bottom}px)`, "none"] }, fall);
  }
  if (piece.enters === "runs") {
    const none = piece.width > piece.height ? "scaleX(0)" : "scaleY(0)";
    const ends = { transform: [none, "none"], transformOrigin: ["0 0", "0 0"] };
    return piece.node.animate(ends, timing);
  }
  return piece.node.animate({ transform: ["scale(0)", "none"] }, timing);
}

// A piece of the former picture is seen once more, below the others, while it goes.
function leave(element, node, keyframes, timing) {
  node.removeAttribute("data-place");
  const first = element.querySelector("[data-place]");
  if (first) first.before(node);
  else element.firstElementChild.append(node);
  const motion = node.animate(keyframes, timing);
  const remove = () => node.remove();
  motion.finished.then(remove, remove);
  return motion;
}
