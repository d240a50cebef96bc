// A board: the picture that the server has drawn, and over it an area for every action that can be
// clicked, touched, or reached with the arrow keys. The rules are the server's; nothing here knows
// any game.

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

export class Board {
  // `choose` is called with an action of the view, as {action, name, label, area}.
  constructor(element, label, choose) {
    this.element = element;
    this.choose = choose;
    this.label = label;
    this.last = null; // the centre of the area that had the focus last
    this.enabled = false;
    this.picture = document.createElement("div");
    this.picture.className = "picture";
    this.picture.setAttribute("aria-hidden", "true");
    this.picture.append(...element.childNodes);
    this.marks = svgElement("svg", { class: "marks", "aria-hidden": "true" });
    this.areas = svgElement("svg", { class: "areas", role: "group", "aria-label": label });
    element.replaceChildren(this.picture, this.marks, this.areas);
    this.areas.addEventListener("keydown", (event) => this.#key(event));
    this.areas.addEventListener("click", (event) => {
      const found = event.target.closest(".area");
      if (found) this.#chosen(found);
    });
    this.areas.addEventListener("focusin", (event) => {
      const found = event.target.closest(".area");
      if (found) this.#remember(found);
    });
  }

  // Show a view; `enabled` says whether its actions can be played now.
  show(view, enabled) {
    const held = this.areas.contains(document.activeElement) || this.keep;
    this.view = view;
    this.enabled = enabled;
    this.picture.innerHTML = view.svg;
    const box = `0 0 ${view.width} ${view.height}`;
    this.marks.setAttribute("viewBox", box);
    this.marks.replaceChildren();
    this.areas.setAttribute("viewBox", box);
    this.element.style.setProperty("--ratio", view.width / view.height);
    const placed = view.actions.filter((action) => action.area);
    this.areas.replaceChildren(
      ...(enabled ? placed : []).map((action) => {
        const shape = svgElement("polygon", {
          class: "area",
          role: "button",
          tabindex: -1,
          points: action.area.join(" "),
          "aria-label": action.label,
          "data-action": action.action,
        });
        shape.of = action;
        return shape;
      }),
    );
    this.element.classList.toggle("enabled", enabled && placed.length > 0);
    const first = this.#nearest(this.last ?? [view.width / 2, view.height / 2]);
    if (first) first.setAttribute("tabindex", 0);
    // The focus stays on the board while the opponent thinks and comes back to where it was.
    this.keep = held && !view.over;
    if (held && first) first.focus({ preventScroll: true });
  }

  // Mark actions: {action: kind}, a kind being a class of the style sheet.
  mark(kinds) {
    for (const [action, kind] of kinds) {
      const found = this.view.actions.find((each) => each.action === action);
      if (!found?.area) continue;
      const [cx, cy] = centre(found.area);
      const r = Math.min(0.42, 0.8 * reach(found.area));
      this.marks.append(svgElement("circle", { class: `mark ${kind}`, cx, cy, r }));
    }
  }

  clearMarks() {
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

  #remember(shape) {
    this.last = centre(shape.of.area);
    for (const other of this.#all()) other.setAttribute("tabindex", other === shape ? 0 : -1);
  }

  #chosen(shape) {
    if (!this.enabled) return;
    this.#remember(shape);
    this.keep = true;
    this.choose(shape.of);
  }

  #key(event) {
    const shape = event.target.closest(".area");
    if (!shape) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#chosen(shape);
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
