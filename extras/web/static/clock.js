// What moves cost: a chess clock, and the time of each move. Both are kept over a reload.

// The time of each player.
export class Clock {
  // `text` is "300+5": seconds of each player, and seconds added by a move; "" is no clock.
  constructor(text, name, onTick, onFall) {
    const match = /^(\d{1,5})\+(\d{1,3})$/.exec(text ?? "");
    this.on = Boolean(match);
    this.name = `clock ${name}`;
    this.initial = match ? Number(match[1]) : 0;
    this.added = match ? Number(match[2]) : 0;
    const kept = this.on && sessionStorage.getItem(this.name);
    this.left = kept ? JSON.parse(kept) : [this.initial, this.initial];
    this.player = null;
    if (!this.on) return;
    setInterval(() => {
      if (this.player === null) return;
      this.#spend();
      onTick();
      if (this.left[this.player] <= 0) {
        const fallen = this.player;
        this.player = null;
        onFall(fallen);
      }
    }, 200);
  }

  // Let the time of a player run; null stops the clock. A player who has moved gets time added.
  run(player, moved = null) {
    if (!this.on) return;
    this.#spend();
    if (moved !== null) this.left[moved] += this.added;
    this.player = player;
    this.since = performance.now();
    sessionStorage.setItem(this.name, JSON.stringify(this.left));
  }

  reset() {
    this.left = [this.initial, this.initial];
    this.player = null;
  }

  #spend() {
    if (this.player === null) return;
    const now = performance.now();
    this.left[this.player] = Math.max(0, this.left[this.player] - (now - this.since) / 1000);
    this.since = now;
    sessionStorage.setItem(this.name, JSON.stringify(this.left));
  }

  text(player) {
    const left = this.left[player];
    const minutes = Math.floor(left / 60);
    const seconds = left < 10 ? (left % 60).toFixed(1) : Math.floor(left % 60);
    return `${minutes}:${String(seconds).padStart(left < 10 ? 4 : 2, "0")}`;
  }
}

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
