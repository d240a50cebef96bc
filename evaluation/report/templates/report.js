"use strict";
// The games of each tournament: a list with filters, and a board that is stepped through. Boards come ready made, as shapes and what each move changes of
// them; no rules are known here. All texts are set as text, never as markup; only the shapes, which plyground draws itself, are markup.

const ICONS = {
  first: "M3 2h2v12H3zM14 2v12L6 8z", back: "M12 2v12L4 8z", on: "M4 2l8 6-8 6z", last: "M11 2h2v12h-2zM2 2l8 6-8 6z",
};

// How moves of these grades are marked, as in books of chess.
const MARKS = { inaccuracy: "?!", mistake: "?" };

/** A list of shapes after a change: places to delete, then places and numbers to insert. */
function changed(board, [deleted, inserted]) {
  const after = board.slice();
  for (const place of deleted.slice().reverse()) after.splice(place, 1);
  for (let i = 0; i < inserted.length; i += 2) after.splice(inserted[i], 0, inserted[i + 1]);
  return after;
}

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** What each player scored; nothing in a game that has not ended. */
function points({ ended, winner }) {
  if (!ended) return ["", ""];
  return winner === null ? ["½", "½"] : winner === 0 ? ["1", "0"] : ["0", "1"];
}

class Viewer {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.build();
    this.filter();
  }

  label(game, seat) { return this.data.labels[game.players[seat]]; }

  build() {
    const played = [...new Set(this.data.games.flatMap((game) => game.players))].sort((a, b) => a - b);
    const agents = () => [element("option", { value: "" }, "any"), ...played.map((n) => element("option", { value: n }, this.data.labels[n]))];
    const results = () => [["", "any"], ["won", "won"], ["drawn", "drawn"], ["lost", "lost"], ["forfeit", "forfeit"], ["upset", "upset"]]
      .map(([value, text]) => element("option", { value }, text));
    const change = () => this.filter();
    this.agent = element("select", { onchange: change }, ...agents());
    this.opponent = element("select", { onchange: change }, ...agents());
    this.result = element("select", { onchange: change }, ...results());
    this.found = element("span", { class: "found", role: "status" });
    const filters = element("div", { class: "filters" }, element("label", {}, "Agent", this.agent), element("label", {}, "Opponent", this.opponent),
      element("label", {}, "Result", this.result), this.found);

    this.list = element("ul", { class: "list" });
    this.title = element("div", { class: "title" });
    this.board = element("div", { class: "board" });
    const button = (name, text, step) => {
      const made = element("button", { type: "button", title: text, "aria-label": text, onclick: step });
      made.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
      return made;
    };
    this.slider = element("input", { type: "range", min: 0, value: 0, "aria-label": "Move", oninput: () => this.go(Number(this.slider.value)) });
    this.buttons = [button("first", "To the start (Home)", () => this.go(0)), button("back", "One move back (←)", () => this.go(this.ply - 1)),
      button("on", "One move on (→)", () => this.go(this.ply + 1)), button("last", "To the end (End)", () => this.go(this.game.moves.length))];
    const [first, back, on, last] = this.buttons;
    this.controls = element("div", { class: "controls" }, first, back, this.slider, on, last);
    this.status = element("div", { class: "status", role: "status" });
    this.moves = element("ol", { class: "moves", "aria-label": "Moves" });
    this.graph = element("div", { class: "graph", onclick: (event) => this.goThere(event) });
    this.verdict = element("p", { class: "verdict", role: "status" });
    this.line = element("p", { class: "line" });
    this.totals = element("div", { class: "totals scroll", tabindex: 0, role: "region", "aria-label": "Totals of both players, can be scrolled" });
    this.stage = element("div", { class: "stage" }, this.title, this.board, this.controls, this.status, this.verdict, this.line, this.graph, this.moves, this.totals);
    this.root.replaceChildren(filters, element("div", { class: "panes" }, this.list, this.stage));
    this.root.classList.toggle("single", this.data.games.length === 1);
    this.root.addEventListener("pointerdown", () => { Viewer.active = this; });
    this.root.addEventListener("focusin", () => { Viewer.active = this; });
  }

  /** List the games that the filters let through, and show the first of them. */
  filter() {
    const [agent, opponent] = [this.agent.value, this.opponent.value].map((value) => (value === "" ? null : Number(value)));
    const chosen = agent === null && opponent === null ? "the first player" : "the agent";
    for (const option of this.result.options) {
      if (option.value === "won" || option.value === "lost") option.textContent = `${option.value} by ${chosen}`;
    }
    const fits = (game) => {
      if ((agent !== null && !game.players.includes(agent)) || (opponent !== null && !game.players.includes(opponent))) return false;
      if (agent !== null && agent === opponent) return false;
      const seat = agent !== null ? game.players.indexOf(agent) : opponent !== null ? 1 - game.players.indexOf(opponent) : 0;
      switch (this.result.value) {
        case "won": return game.winner === seat;
        case "lost": return game.winner === 1 - seat;
        case "drawn": return game.ended && game.winner === null;
        case "": return true;
        default: return game.why === this.result.value;
      }
    };
    this.shown = this.data.games.filter(fits);
    this.found.textContent = `${this.shown.length} game${this.shown.length === 1 ? "" : "s"}`;
    this.list.replaceChildren(...this.shown.map((game) => this.entry(game)));
    this.stage.hidden = this.shown.length === 0;
    if (this.shown.length === 0) this.list.append(element("li", { class: "none" }, "No game here fits."));
    else this.show(this.shown[0]);
  }

  entry(game) {
    const meta = [game.why, `${game.moves.length} move${game.moves.length === 1 ? "" : "s"}`, game.why === "forfeit" ? "" : game.reason].filter(Boolean).join(" · ");
    const line = (seat) => [element("span", { class: "side" }, this.label(game, seat)), element("span", { class: "points" }, points(game)[seat])];
    return element("li", {}, element("button", { type: "button", onclick: () => this.show(game) }, ...line(0), ...line(1),
      element("span", { class: game.why === "forfeit" ? "meta forfeit" : "meta" }, meta)));
  }

  show(game) {
    this.game = game;
    this.boards = [this.data.start];
    const chip = (seat) => (this.data.colours ? [element("span", { class: "chip", style: `background:${this.data.colours[seat]}` })] : []);
    const side = (seat) => element("span", { class: game.winner === seat ? "side won" : "side", title: this.data.sides[seat] }, this.label(game, seat));
    const sides = [side(0), side(1)];
    sides[0].prepend(...chip(0));
    sides[1].append(...chip(1));
    this.title.replaceChildren(sides[0], element("span", { class: "result" }, game.ended ? points(game).join(" – ") : "unfinished"), sides[1]);
    this.slider.max = game.moves.length;
    this.moves.replaceChildren(...game.moves.map((name, index) => element("li", {}, element("button",
      { type: "button", class: index < game.opening ? "book" : undefined, title: index < game.opening ? "opening" : undefined, onclick: () => this.go(index + 1) }, name))));
    this.showReview();
    [...this.list.querySelectorAll("button")].forEach((button, index) => button.setAttribute("aria-current", String(this.shown[index] === game)));
    this.go(game.review ? 0 : game.moves.length);
  }

  /** What a review adds to a game: the graph of values, marks at the moves, totals. */
  showReview() {
    const { review, moves } = this.game;
    for (const part of [this.graph, this.verdict, this.line, this.totals]) {
      part.hidden = !review;
      part.replaceChildren();
    }
    if (!review) return;
    this.moves.querySelectorAll("button").forEach((button, index) => {
      const { grade, text } = review.moves[index];
      button.classList.add(grade);
      button.append(MARKS[grade] || "");
      button.title = text;
    });
    const x = (ply) => (moves.length ? (100 * ply) / moves.length : 50);
    const y = (score) => 38 - 36 * score;
    const place = (ply) => `${x(ply).toFixed(2)} ${y(review.scores[ply]).toFixed(2)}`;
    const plies = review.scores.map((_, ply) => ply);
    const steps = (exact) => plies.slice(1).filter((ply) => (review.exact[ply - 1] && review.exact[ply]) === exact)
      .map((ply) => `M${place(ply - 1)}L${place(ply)}`).join("");
    const area = `M${x(0)} 20L${plies.map(place).join("L")}L${x(moves.length)} 20Z`;
    const label = `Expected score of ${this.label(this.game, 0)} after every move: ${review.scores.map((score) => Math.round(100 * score)).join(", ")} %`;
    this.graph.innerHTML = `<svg viewBox="0 0 100 40" preserveAspectRatio="none" role="img"><path class="area" d="${area}"/><path class="middle" d="M0 20H100"/>`
      + `<path class="exact" d="${steps(true)}"/><path class="estimate" d="${steps(false)}"/><path class="now"/></svg>`;
    this.graph.firstChild.setAttribute("aria-label", label);
    review.moves.forEach((move, index) => {
      if (MARKS[move.grade]) this.graph.append(element("i", { class: move.grade, style: `left:${x(index + 1)}%;top:${y(review.scores[index + 1]) / 0.4}%` }));
    });
    const cells = (tag, row) => row.map((cell, index) => element(index ? tag : "th", { class: index ? "n" : undefined, scope: index && tag === "td" ? undefined : tag === "th" ? "col" : "row" }, cell));
    this.totals.append(element("table", {}, element("thead", {}, element("tr", {}, ...cells("th", review.head))),
      element("tbody", {}, ...review.totals.map((row) => element("tr", {}, ...cells("td", row))))), element("p", { class: "note" }, review.method));
  }

  /** Go to the position of the graph that was clicked. */
  goThere(event) {
    const box = this.graph.getBoundingClientRect();
    this.go(Math.round((this.game.moves.length * (event.clientX - box.left)) / box.width));
  }

  /** What the review says of the move that led to this position. */
  showVerdict() {
    const { review } = this.game;
    if (!review) return;
    const move = this.ply ? review.moves[this.ply - 1] : null;
    this.verdict.className = `verdict ${move ? move.grade : ""}`;
    this.verdict.replaceChildren(element("b", {}, review.values[this.ply]), move ? ` · ${move.text}` : "");
    const names = move && move.line ? move.line.names : [];
    this.line.hidden = !names.length;
    this.line.replaceChildren("Better: ", ...names.map((name, index) => element("button",
      { type: "button", onclick: () => this.vary(index + 1), "aria-label": `${name}, move ${index + 1} of the better line` }, name)));
    const now = this.graph.querySelector(".now");
    const x = this.game.moves.length ? (100 * this.ply) / this.game.moves.length : 50;
    if (now) now.setAttribute("d", `M${x} 0V40`);
  }

  /** Show the board after so many moves of the better line. */
  vary(count) {
    const { names, changes } = this.game.review.moves[this.ply - 1].line;
    const before = this.board_at(this.ply - 1);
    this.draw(changes.slice(0, count).reduce((board, change) => changed(board, change), before));
    const text = `Instead of ${this.game.moves[this.ply - 1]}: ${names.slice(0, count).join(", ")}`;
    this.status.textContent = text;
    this.board.firstChild.setAttribute("aria-label", `Board. ${text}`);
    this.line.querySelectorAll("button").forEach((button, index) => button.setAttribute("aria-current", String(index === count - 1)));
  }

  /** The numbers of the shapes of the board after so many moves. */
  board_at(ply) {
    while (this.boards.length <= ply) this.boards.push(changed(this.boards[this.boards.length - 1], this.game.changes[this.boards.length - 1]));
    return this.boards[ply];
  }

  draw(board) {
    const [width, height] = this.data.size;
    const shapes = board.map((number) => this.data.shapes[number]).join("");
    this.board.innerHTML = `<svg viewBox="0 0 ${width} ${height}" role="img"><rect width="${width}" height="${height}" fill="${this.data.background}"/>${shapes}</svg>`;
  }

  go(ply) {
    const { game } = this;
    this.ply = Math.max(0, Math.min(game.moves.length, ply));
    this.draw(this.board_at(this.ply));
    const end = this.ply === game.moves.length;
    let text = "Before the first move";
    if (this.ply > 0) {
      const by = this.ply <= game.opening ? "opening" : this.label(game, Number(game.movers[this.ply - 1]));
      text = `Move ${this.ply} of ${game.moves.length}: ${game.moves[this.ply - 1]} (${by})`;
    }
    if (end && (game.reason || game.note)) text += ` – ${game.reason}${game.note ? ". " + game.note : ""}`;
    this.status.textContent = text;
    this.board.firstChild.setAttribute("aria-label", `Board. ${text}`);
    this.showVerdict();
    this.slider.value = this.ply;
    this.slider.setAttribute("aria-valuetext", text);
    this.buttons.forEach((button, index) => { button.disabled = index < 2 ? this.ply === 0 : end; });
    const buttons = this.moves.querySelectorAll("button");
    buttons.forEach((button, index) => button.setAttribute("aria-current", String(index === this.ply - 1)));
    const current = buttons[this.ply - 1];
    if (current) { // scrolls the list of moves alone, never the page
      const box = this.moves;
      const top = current.offsetTop - box.offsetTop;
      if (top < box.scrollTop || top + current.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
    }
  }
}

const viewers = [...document.querySelectorAll("script[data-viewer]")].map(
  (script) => new Viewer(document.getElementById(script.dataset.viewer), JSON.parse(script.textContent)));
Viewer.active = viewers[0];

document.addEventListener("keydown", (event) => {
  const viewer = Viewer.active;
  if (!viewer || !viewer.shown.length || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (event.target.closest("input, select, textarea, pre, .scroll")) return; // they have their own use for these keys
  const inside = viewer.root.contains(event.target);
  const to = { ArrowLeft: viewer.ply - 1, ArrowRight: viewer.ply + 1, ...(inside ? { Home: 0, End: viewer.game.moves.length } : {}) }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  viewer.go(to);
});

// The tournament in view is marked in the navigation, and its games answer to the arrow keys.
const links = new Map([...document.querySelectorAll("nav.tournaments a")].map((link) => [link.hash.slice(1), link]));
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries.filter((each) => each.isIntersecting)) {
    links.forEach((link, id) => link.classList.toggle("here", id === entry.target.id));
    Viewer.active = viewers.find((viewer) => entry.target.contains(viewer.root)) || Viewer.active;
  }
}, { rootMargin: "-45% 0px -50% 0px" });
document.querySelectorAll("section.tournament").forEach((section) => watcher.observe(section));

// Inside a notebook's output the frame grows with the page, where the notebook allows it.
try {
  const frame = window.frameElement;
  if (frame && frame.dataset.plyground !== undefined) {
    new ResizeObserver(() => { frame.style.height = `${document.documentElement.offsetHeight}px`; }).observe(document.documentElement);
  }
} catch { /* another origin: the frame keeps its height */ }

// A table that is wider than its place says so.
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries)
    target.previousElementSibling.classList.toggle("needed", target.scrollWidth > target.clientWidth + 1);
});
for (const place of document.querySelectorAll(".scroll")) {
  const hint = document.createElement("p");
  hint.className = "swipe";
  hint.textContent = "The table goes on to the right →";
  hint.setAttribute("aria-hidden", "true"); // the region's name says that it scrolls
  place.before(hint);
  widths.observe(place);
}
