// Two agents play each other on a board, step by step or on their own.

import { think } from "./api.js";
import { played } from "./table.js";

export class Match {
  // `show` is called when anything has changed, `tell` with the decisions of the agents, `failed`
  // with what went wrong and what tries again; `pause` gives the milliseconds between two moves.
  constructor(board, { show, pause, tell = () => {}, failed = () => {} }) {
    Object.assign(this, { board, show, pause, tell, failed });
    this.seed = 0;
    this.running = false;
    this.search = null;
    this.timer = null;
  }

  // The game goes on from a view, between two agents.
  set(view, agents) {
    Object.assign(this, { view, agents });
  }

  async step() {
    if (this.view.over || this.search) return;
    const mine = (this.search = new AbortController());
    this.show();
    try {
      const query = { ...played(this.view), agent: this.agents[this.view.to_move], seed: this.seed };
      const decision = await think(query, mine.signal, this.tell);
      await this.board.settled;
      if (this.search !== mine) return;
      this.tell(decision);
      this.view = decision.view;
      this.search = null;
      this.running &&= !this.view.over;
      this.show();
      if (this.running) this.timer = setTimeout(() => this.step(), this.pause());
    } catch (error) {
      if (this.search !== mine) return;
      const { running } = this;
      this.stop();
      this.failed(error, () => (running ? this.run() : this.step()));
    }
  }

  run() {
    this.running = true;
    return this.step();
  }

  stop() {
    this.search?.abort();
    this.search = null;
    this.running = false;
    clearTimeout(this.timer);
    this.show();
  }
}
