// A position set up on the board. The editor knows which characters stand where in a position's
// text, not the rules: the server says whether there is such a position, and what is odd about it.

import { post, Refused } from "./api.js";
import { byId, complain, playersDisc } from "./table.js";
import { given, t } from "./words.js";

const FREE = ".";
const UNPROCESSABLE = 422; // the status of what the server understands and refuses

export class Editor {
  // `board` is the page's board, `done` is called with the view of the position, or null.
  constructor(board, done) {
    this.board = board;
    this.done = done;
    this.blank = given("blank");
    this.tool = this.blank?.marks[0];
    this.open = false;
    if (!this.blank) return;
    byId("use").addEventListener("click", () => this.#leave(this.found));
    byId("leave").addEventListener("click", () => this.#leave(null));
    byId("clear").addEventListener("click", () => this.#show(this.blank.rows));
    byId("turn").addEventListener("change", () => this.#show(this.rows));
  }

  // Begin with the position of a view.
  async start(view) {
    this.open = true;
    this.shown = view;
    byId("editor").hidden = false;
    this.#showTools();
    byId("turn").value = "";
    const [board, mark] = view.board.split(":");
    const rows = board.split("/").map((row) => row.replace(/\d+/g, (free) => FREE.repeat(free)));
    this.rows = rows;
    this.#showBoard(view.svg); // at once, so that every click finds a place
    await this.#show(rows);
    // Where the board leaves the turn open, it is that of the view. A click may have come first.
    if (this.rows === rows && this.found && this.found.to_move !== view.to_move) {
      byId("turn").value = mark;
      await this.#show(rows);
    }
    byId("editor").scrollIntoView({ block: "nearest" });
    this.#tools()[0].focus({ preventScroll: true });
  }

  // A place was clicked: what the tool puts there is put or taken away.
  choose(place) {
    const now = this.rows[place.row][place.column];
    const fits = place.symbols.includes(this.tool) || this.tool === FREE;
    const symbol = fits ? this.tool : place.symbols[0];
    const next = symbol === now ? FREE : symbol;
    const row = [...this.rows[place.row]];
    row[place.column] = next;
    return this.#show(this.rows.with(place.row, row.join("")));
  }

  #leave(view) {
    this.open = false;
    byId("editor").hidden = true;
    this.done(view);
  }

  #tools() {
    return [...byId("tools").children];
  }

  #showTools() {
    const { marks } = this.blank;
    const tools = this.shown.players.map((player, i) => [marks[i], `${player.name} (${marks[i]})`, player]);
    byId("tools").replaceChildren(
      ...[...tools, [FREE, t("edit.remove"), null]].map(([symbol, name, player]) => {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "button";
        button.setAttribute("aria-pressed", symbol === this.tool);
        if (player) button.append(playersDisc(player));
        button.append(name);
        button.addEventListener("click", () => {
          this.tool = symbol;
          for (const each of this.#tools()) each.setAttribute("aria-pressed", each === button);
        });
        return button;
      }),
    );
  }

  // Show rows, and what the server says of them.
  async #show(rows) {
    this.rows = rows;
    this.found = null;
    byId("use").disabled = true; // until the server has answered
    const turn = byId("turn").value;
    const position = rows.join("/") + (turn && `:${turn}`);
    let said = t("edit.good");
    try {
      const found = await post("view", { game: this.shown.game, position });
      if (this.rows !== rows) return;
      this.found = found;
      const [problem] = found.problems;
      if (problem) said = t("edit.odd", { problem });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (this.rows !== rows) return;
      if (error.status === UNPROCESSABLE) said = error.message; // the rows are no position
      else complain(error, () => this.#show(rows));
    }
    byId("use").disabled = !this.found;
    byId("status").textContent = this.found?.status ?? t("edit.title");
    byId("editor-said").textContent = said;
    byId("editor-said").classList.toggle("wrong", said !== t("edit.good"));
    this.#showBoard(this.found?.svg ?? this.blank.svg);
    if (!this.found) this.#draw();
  }

  #showBoard(svg) {
    const actions = this.blank.places.map((place, action) => ({
      ...place,
      action,
      label: `${place.label}: ${this.#name(this.rows[place.row][place.column])}`,
    }));
    this.board.show({ ...this.shown, svg, actions, over: false, marks_legal: false }, true);
  }

  #name(symbol) {
    if (symbol === FREE) return t("edit.free");
    return this.shown.players[this.blank.marks.indexOf(symbol)]?.name ?? t("edit.marked");
  }

  // What no position looks like is drawn over the blank board.
  #draw() {
    for (const { row, column, area } of this.blank.places) {
      const symbol = this.rows[row][column];
      if (symbol === FREE || !area) continue;
      const player = this.shown.players[this.blank.marks.indexOf(symbol)];
      this.board.put(area, player?.colour ?? "#3b4250", player ? "disc" : "area");
    }
  }
}
