// A game that is stepped through: all its moves, and the ply whose position is shown.

import { post } from "./api.js";
import { byId, onSteps } from "./table.js";

export class SteppedLine {
  // `onView` is called with the view of each position that is shown, `onError` with errors and what
  // asks again.
  constructor(view, onView, onError) {
    this.game = view.game;
    this.position = view.position;
    this.moves = [...view.moves];
    this.movers = [...view.movers];
    this.ply = this.moves.length;
    this.onView = onView;
    this.onError = onError;
    this.asked = 0;
    this.#showSteps();
    const steps = {
      first: () => 0,
      back: () => this.ply - 1,
      forth: () => this.ply + 1,
      last: () => this.moves.length,
    };
    for (const [id, target] of Object.entries(steps)) {
      byId(id)?.addEventListener("click", () => this.go(target()));
    }
    onSteps(() => this.go(this.ply - 1), () => this.go(this.ply + 1));
  }

  // Begin anew with the position of a view, which no moves have led to.
  restart(view) {
    this.position = view.position;
    this.moves = [];
    this.movers = [];
    this.asked += 1;
    this.ply = 0;
    this.#showSteps();
    this.onView(view);
  }

  // The view as the list of moves wants it: all moves, and how many are played.
  listed(view) {
    return { ...view, moves: this.moves, movers: this.movers, shown: this.ply };
  }

  #showSteps() {
    const [start, end] = [this.ply === 0, this.ply === this.moves.length];
    for (const [id, off] of [["first", start], ["back", start], ["forth", end], ["last", end]]) {
      if (byId(id)) byId(id).disabled = off;
    }
  }

  async #ask(path, content, then) {
    const mine = ++this.asked;
    try {
      const view = await post(path, { game: this.game, position: this.position, ...content });
      if (mine !== this.asked) return;
      then(view);
      this.#showSteps();
      this.onView(view);
    } catch (error) {
      if (mine === this.asked) this.onError(error, () => this.#ask(path, content, then));
    }
  }

  go(ply) {
    if (ply < 0 || ply > this.moves.length) return null;
    return this.#ask("view", { moves: this.moves.slice(0, ply) }, () => (this.ply = ply));
  }

  // Play an action in the position shown; another move than the game's leaves the game.
  play(action) {
    const played = this.moves.slice(0, this.ply);
    return this.#ask("play", { moves: played, action }, (view) => {
      this.ply += 1;
      if (this.moves[this.ply - 1] === view.moves.at(-1)) return;
      this.moves = [...view.moves];
      this.movers = [...view.movers];
    });
  }
}
