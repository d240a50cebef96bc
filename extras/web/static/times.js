// How long each move has taken, kept over a reload; null where it is not known.

export class Times {
  constructor(name, view) {
    this.name = `seconds ${name}`;
    const kept = JSON.parse(sessionStorage.getItem(this.name) ?? "null");
    this.spent = kept?.link === view.link ? kept.spent : [];
    this.follow(view);
  }

  // Other moves than before lead to the position shown; times of moves taken back are forgotten.
  follow(view) {
    const count = view.moves.length;
    this.spent = [...this.spent.slice(0, count), ...Array(count).fill(null)].slice(0, count);
    this.#keep(view);
  }

  // A move was played: in `seconds` by an agent, else by a person since the last one.
  add(view, seconds = (performance.now() - this.since) / 1000) {
    this.spent = [...this.spent.slice(0, view.moves.length - 1), Number(seconds.toFixed(3))];
    this.follow(view);
  }

  #keep(view) {
    this.since = performance.now();
    sessionStorage.setItem(this.name, JSON.stringify({ link: view.link, spent: this.spent }));
  }
}
