// The first page: two agents play the games that are offered, one game after another.

import { post } from "./api.js";
import { Board } from "./board.js";
import { Match } from "./match.js";
import { addressOf, byId, playersDisc, showBar, textElement } from "./table.js";
import { given, t } from "./words.js";

const PAUSE = 900; // milliseconds between two moves
const REST = 5000; // with the last position of a game
const live = byId("live");
const games = given("games"); // {game, title, agents, names, said}
let number = 0; // of the game that is played
let wanted = !matchMedia("(prefers-reduced-motion: reduce)").matches;
let seen = false; // whether the board is in sight
let bar = null; // what the first agent thinks: two agents have two scales

const board = new Board(byId("board"), t("play.board"), () => {});
const match = new Match(board, { show, tell, pause: () => PAUSE, failed });

function begin(view) {
  bar = null;
  match.set(view, games[number].agents);
}

function tell(decision) {
  if (match.view.to_move === 0 && decision.bar !== null) bar = decision.bar;
}

function show() {
  const { view, running } = match;
  const { game, title, agents, names, said } = games[number];
  board.show(view, false);
  byId("live-title").textContent = title;
  byId("live-said").textContent = said;
  byId("live-status").textContent = view.status;
  byId("live-pause").textContent = wanted ? t("watch.pause") : t("watch.auto");
  byId("live-watch").href = addressOf("/watch", { game, first: agents[0], second: agents[1] });
  showBar(byId("bar"), view.over ? { null: 0, 0: 1, 1: -1 }[view.winner] : bar, view.players);
  live.dataset.state = running ? "running" : "waiting";
  for (const player of [0, 1]) {
    const element = byId(`player-${player}`);
    element.classList.toggle("turn", !view.over && view.to_move === player);
    const { name: side } = view.players[player];
    const disc = playersDisc(view.players[player]);
    element.replaceChildren(disc, textElement("strong", names[player]),
      textElement("span", side, "note"));
  }
  if (!view.over) return;
  clearTimeout(match.timer);
  match.timer = setTimeout(() => next().catch(failed), REST);
}

async function next() {
  number = (number + 1) % games.length;
  match.seed += 1;
  begin(await post("view", { game: games[number].game, moves: [] }));
  show();
  follow();
}

// A server that does not answer is not asked again until the visitor wants it.
function failed() {
  wanted = false;
  show();
}

// The agents play while the board is in sight, and a visitor has not stopped them.
function follow() {
  const now = wanted && seen && !document.hidden;
  if (now === match.running) return;
  if (now && !match.view.over) match.run();
  else if (!now) match.stop();
}

byId("live-pause").addEventListener("click", () => {
  wanted = !wanted;
  follow();
  show();
});
new IntersectionObserver(([{ isIntersecting }]) => {
  seen = isIntersecting;
  follow();
}).observe(live);
document.addEventListener("visibilitychange", follow);
addEventListener("pagehide", () => match.search?.abort());
begin(given("view"));
show();
document.body.dataset.ready = "yes";
