// A board: the picture that the server has drawn, and over it an area for every action that can be
// clicked, touched, or reached with the arrow keys. An action that moves a piece is two clicks: the
// first picks the piece, the second says where it goes. The rules are the server's; nothing here
// knows any game.

import { movePicture, pieceAt, piecesOf, setPicture } from "./motion.js";
import { t } from "./words.js";

const SMALL = 28; // pixels across
const DRAG = 6; // pixels, from which on a press is no click
const LETTER = 0.62; // the width of a bold letter, about, in its size
const CLOSE = 0.0201; // 1 % of the score: two values so close are not told apart
const SVG = "http://www.w3.org/2000/svg";

export function svgElement(name, attributes = {}) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function centre(area) {
  let x = 0;
  let y = 0;
  for (let i = 0; i < area.length; i += 2) {
    x += area[i];
    y += area[i + 1];
  }
  return [(2 * x) / area.length, (2 * y) / area.length];
}

// The greatest circle around the centre that fits into the area, about.
function reach(area) {
  const [x, y] = centre(area);
  let least = Infinity;
  for (let i = 0; i < area.length; i += 2) {
    const j = (i + 2) % area.length;
    const [dx, dy] = [area[j] - area[i], area[j + 1] - area[i + 1]];
    const away = Math.abs(dx * (area[i + 1] - y) - dy * (area[i] - x)) / Math.hypot(dx, dy);
    least = Math.min(least, away);
  }
  return least;
}

// Where marks of an area stand: its centre, or the upper end of one that is a whole column.
function spot(area) {
  const xs = area.filter((_, i) => i % 2 === 0);
  const ys = area.filter((_, i) => i % 2 === 1);
  const [width, height] = [xs, ys].map((each) => Math.max(...each) - Math.min(...each));
  const [x, y] = centre(area);
  return height > 2 * width ? [x, Math.min(...ys) + 0.8 * width] : [x, y];
}

// The way of a piece: the points of a line from its place to the target of an action.
const way = ({ from, area }) => [...centre(from.area), ...centre(area)].join(" ");
// Where an action puts a stone, or where it is clicked if it puts none.
const landing = (action) => action.lands ?? action.area;

const stoneSize = (area) => Math.min(0.42, 0.95 * reach(area));

// Estimates as close as this to a better one, which has a number; they are dots of its colour.
function dotsOf(labels) {
  const dots = new Set();
  let number = Infinity;
  const guesses = labels.filter(({ kind, lines }) => kind === "guess" && lines.length === 1);
  for (const label of guesses.sort((a, b) => b.best - a.best || b.worth - a.worth)) {
    if (Math.abs(number - label.worth) <= CLOSE) dots.add(label);
    else number = label.worth;
  }
  return dots;
}

// Black or white, whichever can be read on a colour.
function ink(colour) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#14171c" : "#ffffff";
}

export class Board {
  // `choose` is called with an action of the view, as {action, name, label, area}, and with
  // whether it was touched on an area so small that a finger easily misses it.
  constructor(element, label, choose) {
    this.element = element;
    this.choose = choose;
    this.last = null; // the centre of the area that had the focus last
    this.picked = null; // the name of the place of the piece that is to be moved
    this.labels = [];
    this.enabled = false;
    this.settled = Promise.resolve(); // kept when no piece moves any more
    this.picture = document.createElement("div");
    this.picture.className = "picture";
    this.picture.setAttribute("aria-hidden", "true");
    this.picture.append(...element.childNodes);
    this.marks = svgElement("svg", { class: "marks", "aria-hidden": "true" });
    this.areas = svgElement("svg", { class: "areas", role: "group", "aria-label": label });
    element.tabIndex = -1;
    element.replaceChildren(this.picture, this.marks, this.areas);
    this.areas.addEventListener("keydown", (event) => this.#key(event));
    this.areas.addEventListener("pointerdown", (event) => this.#drag(event));
    this.areas.addEventListener("click", (event) => {
      const found = event.target.closest(".area");
      if (found) this.#chosen(found, event.pointerType === "touch");
      else if (this.picked) this.#pick(null);
    });
    this.areas.addEventListener("focusin", (event) => {
      const found = event.target.closest(".area");
      if (found) this.#remember(found);
    });
    this.ghost = null; // the stone that the action under the pointer, or with the focus, would put
    for (const kind of ["pointerover", "focusin"]) {
      this.areas.addEventListener(kind, (event) => this.#showGhost(event.target.closest(".area")));
    }
    for (const kind of ["pointerleave", "focusout"]) {
      this.areas.addEventListener(kind, () => this.#showGhost(null));
    }
  }

  // Show a view; `enabled` says whether its actions can be played now.
  show(view, enabled) {
    const held = this.element.contains(document.activeElement) || this.keep;
    this.#showPicture(view);
    this.view = view;
    this.enabled = enabled;
    this.picked = null;
    const box = `0 0 ${view.width} ${view.height}`;
    this.marks.setAttribute("viewBox", box);
    this.clearMarks();
    this.areas.setAttribute("viewBox", box);
    document.documentElement.style.setProperty("--ratio", view.width / view.height);
    const moving = view.actions.some((action) => action.from);
    const help = moving ? t("play.pieces_help") : t("play.board_help");
    this.areas.setAttribute("aria-description", help);
    this.keep = false;
    this.#showAreas(held);
  }

  // Where a view is a move or two from the one before, its pieces move. One picture is shown once.
  #showPicture(view) {
    const before = this.view;
    if (this.dragged && before.svg === view.svg) this.dragged.style.translate = "";
    this.dragged = null;
    if (before?.svg === view.svg) return;
    const [fewer, more] = [before?.moves ?? [], view.moves].sort((a, b) => a.length - b.length);
    const steps = more.length - fewer.length;
    const near = steps > 0 && steps < 3 && before?.position === view.position;
    if (!near || fewer.some((name, ply) => name !== more[ply])) {
      this.settled = setPicture(this.picture, view.svg);
      return;
    }
    const played = before.actions.find(({ name }) => name === view.moves.at(-1));
    const area = played?.from?.area ?? played?.area;
    const unit = this.picture.firstElementChild.viewBox.baseVal.width / view.width;
    const from = area && centre(area).map((value) => unit * value);
    this.settled = movePicture(this.picture, view.svg, from);
  }

  // The areas that can be clicked now: actions of one click, pieces, and where the picked one goes.
  #showAreas(held) {
    const placed = this.enabled ? this.view.actions.filter((action) => action.area) : [];
    const open = placed.filter((action) => !action.from || action.from.name === this.picked);
    const taken = new Set(open.map((action) => action.area.join(" ")));
    const pieces = new Map(placed.filter((each) => each.from).map((each) => [each.from.name, each.from]));
    const free = [...pieces.values()].filter((piece) => !taken.has(piece.area.join(" ")));
    const legal = this.view.marks_legal ? placed.filter((action) => !action.from) : [];
    this.areas.replaceChildren(
      ...legal.map((action) => {
        const [cx, cy] = centre(action.area);
        return svgElement("circle", { class: "legal", cx, cy, r: 0.3 * reach(action.area) });
      }),
      ...[...free, ...open].map((each) => this.#area(each)),
    );
    this.element.classList.toggle("enabled", placed.length > 0); // else nothing takes the focus
    const first = this.#nearest(this.last ?? [this.view.width / 2, this.view.height / 2]);
    if (first) first.setAttribute("tabindex", 0);
    // The focus stays on the board while the opponent thinks, comes back to where it was, and is
    // still there when the game is over.
    if (held) (first ?? this.element).focus({ preventScroll: true });
  }

  // The area of an action, or of a piece, which has a name and no action.
  #area(each) {
    const isPiece = each.action === undefined;
    const shape = svgElement("polygon", {
      class: each.from ? "area target" : each.stone ? "area stone" : "area",
      role: "button",
      tabindex: -1,
      points: each.area.join(" "),
      "aria-label": each.label,
      ...(isPiece
        ? { "data-piece": each.name, "aria-pressed": each.name === this.picked }
        : { "data-action": each.action }),
    });
    shape.of = each;
    return shape;
  }

  // Pick a piece by the name of its place, or none.
  #pick(name) {
    this.picked = name;
    this.#showAreas(this.areas.contains(document.activeElement));
    this.marks.querySelectorAll(".label").forEach((label) => label.remove());
    this.#showLabels(this.labels);
  }

  // Mark actions: {action: kind}, a kind being a class of the style sheet.
  mark(kinds) {
    for (const [action, kind] of kinds) {
      const found = this.view.actions.find((each) => each.action === action);
      if (!found?.area) continue;
      const [cx, cy] = centre(landing(found));
      const r = Math.min(0.42, 0.8 * reach(landing(found)));
      if (found.from) this.marks.append(svgElement("polyline", { class: `mark ${kind}`, points: way(found) }));
      this.marks.append(svgElement("circle", { class: `mark ${kind}`, cx, cy, r }));
    }
  }

  // Put something on an area, without regard to the rules: a disc, or the area as a whole.
  put(area, fill, kind) {
    const [cx, cy] = centre(area);
    const shape = kind === "disc"
      ? svgElement("circle", { class: "put", cx, cy, r: stoneSize(area), fill })
      : svgElement("polygon", { class: "put", points: area.join(" "), fill });
    this.marks.append(shape);
  }

  // Small texts on actions, {action, lines, kind, worth, tone, best}: one or two lines each, all of
  // one size. By their worth the moves of a piece are compared; the tone, from −1 to 1, is a colour
  // from red by grey to green.
  label(labels) {
    this.labels.push(...labels);
    this.#showLabels(labels);
  }

  // A piece has the label of its best move; the targets of the picked one have those of its moves.
  #showLabels(labels) {
    if (!labels.length) return;
    const actionOf = (label) => this.view.actions.find((each) => each.action === label.action);
    const best = new Map();
    for (const label of labels) {
      const place = actionOf(label)?.from?.name;
      if (!best.has(place) || best.get(place).worth < label.worth) best.set(place, label);
    }
    const shown = labels.filter((label) => {
      const from = actionOf(label)?.from;
      return !from || (this.picked ? from.name === this.picked : best.get(from.name) === label);
    });
    const longest = Math.max(2, ...labels.flatMap(({ lines }) => lines.map((line) => line.length)));
    const [dots, beside] = [dotsOf(shown), this.#besidePieces()];
    for (const label of shown) {
      const found = actionOf(label);
      if (!found?.area) continue;
      const area = found.from && !this.picked ? found.from.area : landing(found);
      const [cx, cy] = spot(area);
      const r = stoneSize(area);
      const group = svgElement("g", { class: `label ${label.kind}` });
      const share = `${Math.round(100 * Math.sqrt(Math.abs(label.tone)))}%`; // small leads show too
      group.style.setProperty(label.tone > 0 ? "--gain" : "--loss", share);
      if (label.best) group.append(svgElement("circle", { class: "best", cx, cy, r: 1.05 * r }));
      const place = beside(area);
      if (dots.has(label)) {
        group.append(svgElement("circle", { class: "close", cx, cy, r: 0.3 * r, ...place?.dot }));
      } else if (place) {
        const words = svgElement("text", place.text(label.lines.join(" ")));
        words.textContent = label.lines.join(" ");
        group.append(words);
      } else {
        const size = Math.min(1.7 * r / (LETTER * longest), 0.8 * r);
        label.lines.forEach((line, row) => {
          const y = cy + 1.1 * size * (row - (label.lines.length - 1) / 2);
          const words = svgElement("text", { x: cx, y, "font-size": size });
          words.textContent = line;
          group.append(words);
        });
      }
      this.marks.append(group);
    }
  }

  // A function that says where marks of an area stand if there are pieces on it, which they would
  // cover at its centre: at the edge that is nearer to the edge of the board.
  #besidePieces() {
    const unit = this.picture.firstElementChild.viewBox.baseVal.width / this.view.width;
    const pieces = [...piecesOf(this.picture).values()].map(({ x, y }) => [x / unit, y / unit]);
    return (area) => {
      const [[cx, cy], half] = [centre(area), reach(area)];
      if (!pieces.some(([x, y]) => Math.hypot(x - cx, y - cy) < half)) return null;
      const side = cy < this.view.height / 2 ? -1 : 1;
      const at = { cx: cx + 0.7 * half, cy: cy + 0.7 * side * half };
      return {
        dot: { ...at, r: 0.2 * half },
        disc: { x: at.cx, y: at.cy, r: 0.3 * half },
        text: (words) => {
          const size = Math.min(0.4, 2 / (LETTER * words.length)) * half;
          const x = cx + half - (LETTER * words.length * size) / 2;
          return { x, y: cy + 0.9 * side * half, "font-size": size };
        },
      };
    };
  }

  // Shade actions: {action, share} with shares from 0 to 1.
  heat(shades) {
    const most = Math.max(0.001, ...shades.map((each) => each.share));
    for (const { action, share } of shades) {
      const found = this.view.actions.find((each) => each.action === action);
      if (!found?.area || share <= 0) continue;
      const opacity = (0.75 * Math.sqrt(share / most)).toFixed(3);
      this.marks.append(
        found.from
          ? svgElement("polyline", { class: "heat", points: way(found), "stroke-opacity": opacity })
          : svgElement("polygon", { class: "heat", points: found.area.join(" "), "fill-opacity": opacity }),
      );
    }
  }

  // A line of play: numbered discs in the players' colours, joined by an arrow.
  line(moves, most = 6) {
    const [seen, beside] = [new Map(), this.#besidePieces()];
    const places = [];
    for (const move of moves.slice(0, most)) {
      if (!move.area) continue;
      const [x, y] = spot(landing(move));
      const before = seen.get(`${x} ${y}`) ?? 0;
      seen.set(`${x} ${y}`, before + 1);
      const r = Math.min(0.3, 0.7 * reach(landing(move)));
      const place = { x, y: y + 0.62 * before, player: move.player, r };
      places.push({ ...place, ...beside(landing(move))?.disc });
    }
    const moved = moves.slice(0, most).filter((move) => move.from && move.area);
    const joined = places.map(({ x, y }) => `${x},${y}`).join(" ");
    for (const points of moved.length ? moved.map(way) : [joined]) {
      this.marks.append(svgElement("polyline", { class: "way", points }));
    }
    places.forEach(({ x, y, player, r }, number) => {
      const group = svgElement("g", { class: "ahead" });
      const colour = this.view.players[player].colour ?? "#888888";
      const disc = svgElement("circle", { cx: x, cy: y, r, fill: colour });
      const words = svgElement("text", { x, y, "font-size": r * 1.25, fill: ink(colour) });
      words.textContent = number + 1;
      group.append(disc, words);
      this.marks.append(group);
    });
  }

  clearMarks() {
    this.labels = [];
    this.marks.replaceChildren();
  }

  #all() {
    return [...this.areas.querySelectorAll(".area")];
  }

  #nearest([x, y]) {
    let best = null;
    let least = Infinity;
    for (const shape of this.#all()) {
      const [cx, cy] = centre(shape.of.area);
      const away = Math.hypot(cx - x, cy - y);
      if (away < least) [best, least] = [shape, away];
    }
    return best;
  }

  #showGhost(shape) {
    this.ghost?.remove();
    this.ghost = null;
    const fill = this.view.players[this.view.to_move].colour;
    if (!shape?.of.stone || !fill || !this.enabled) return;
    const area = landing(shape.of);
    const [cx, cy] = centre(area);
    this.ghost = svgElement("circle", { class: "ghost", cx, cy, r: stoneSize(area), fill });
    this.areas.append(this.ghost);
  }

  #remember(shape) {
    this.last = centre(shape.of.area);
    for (const other of this.#all()) other.setAttribute("tabindex", other === shape ? 0 : -1);
  }

  #chosen(shape, touched = false) {
    if (!this.enabled) return;
    this.#remember(shape);
    this.keep = true;
    if (shape.of.action === undefined) {
      this.#pick(shape.of.name === this.picked ? null : shape.of.name);
      return;
    }
    const unit = this.areas.clientWidth / this.view.width;
    this.choose(shape.of, touched && 2 * reach(shape.of.area) * unit < SMALL);
  }

  // A piece follows the pointer, and goes to the target on which it is let go.
  #drag(event) {
    const piece = event.target.closest("[data-piece]")?.of;
    if (!piece || !this.enabled || event.button) return;
    const drawn = this.picture.firstElementChild;
    const unit = drawn.viewBox.baseVal.width / drawn.clientWidth;
    const [x, y] = centre(piece.area).map((value) => (value * drawn.viewBox.baseVal.width) / this.view.width);
    const follow = ({ clientX, clientY }) => {
      const [dx, dy] = [clientX - event.clientX, clientY - event.clientY];
      if (!this.dragged && Math.hypot(dx, dy) < DRAG) return;
      if (!this.dragged) {
        this.dragged = pieceAt(this.picture, x, y);
        if (this.picked !== piece.name) this.#pick(piece.name);
      }
      this.dragged.style.translate = `${dx * unit}px ${dy * unit}px`;
    };
    const end = ({ type, clientX, clientY }) => {
      for (const kind of ["pointermove", "pointerup", "pointercancel"]) {
        removeEventListener(kind, kind === "pointermove" ? follow : end);
      }
      if (!this.dragged) return;
      const target = document.elementFromPoint(clientX, clientY)?.closest(".target");
      if (type === "pointerup" && target) {
        this.#chosen(target);
        return;
      }
      this.dragged.style.translate = "";
      this.dragged = null;
      this.#pick(null);
    };
    addEventListener("pointermove", follow);
    for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, end);
  }

  #key(event) {
    const shape = event.target.closest(".area");
    if (!shape) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#chosen(shape);
      return;
    }
    if (event.key === "Escape" && this.picked) {
      event.preventDefault();
      const piece = this.#all().find((each) => each.of.name === this.picked);
      if (piece) this.#remember(piece);
      this.#pick(null);
      return;
    }
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    let next = null;
    if (steps[event.key]) next = this.#towards(shape, steps[event.key]);
    else if (event.key === "Home") next = this.#all()[0];
    else if (event.key === "End") next = this.#all().at(-1);
    else return;
    event.preventDefault();
    if (next) next.focus({ preventScroll: true });
  }

  // The nearest area in a direction; going astray costs twice as much as going far.
  #towards(shape, [dx, dy]) {
    const [x, y] = centre(shape.of.area);
    let best = null;
    let least = Infinity;
    for (const other of this.#all()) {
      const [cx, cy] = centre(other.of.area);
      const ahead = (cx - x) * dx + (cy - y) * dy;
      const aside = Math.abs((cx - x) * dy) + Math.abs((cy - y) * dx);
      if (ahead > 0.01 && ahead + 2 * aside < least) [best, least] = [other, ahead + 2 * aside];
    }
    return best;
  }
}
