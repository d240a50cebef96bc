// The page to play on. The address holds the whole game; the server is asked for every view.

import { setUpAgent } from "./agents.js";
import { post, Refused, think } from "./api.js";
import { Board } from "./board.js";
import { Clock } from "./clock.js";
import { movesList } from "./moves.js";
import { progressShown } from "./thinking.js";
import { given, t } from "./words.js";

const HINTS = "alphabeta:time=1";
const PERSON = "human";
const byId = (id) => document.getElementById(id);
const address = new URL(location.href);
const asked = address.searchParams;

let view = given("view");
let undone = []; // moves taken back, as {name, mover}, the next one first
let opponent = asked.get("opponent") || byId("level").dataset.first;
let seat = asked.get("seat") === "1" ? 1 : 0;
let seed = Number(asked.get("seed")) || 0;
let ended = null; // {winner, reason} of a game that was resigned or lost on time
let search = null; // the AbortController of the search under way
let hinting = false;
let aimed = null; // the action that a finger has aimed at
const game = view.game;

const board = new Board(byId("board"), t("play.board"), choose);
const clock = new Clock(asked.get("clock"), `${game} ${seed}`, showPlayers, fall);
const showMoves = movesList(byId("moves"), (ply) => goTo(ply));

const over = () => view.over || ended !== null;
const ofPerson = () => opponent === PERSON || view.to_move === seat;

// -- what is shown --

function show(said = view.said) {
  board.show(view, !over() && ofPerson() && !(search && !hinting));
  if (!over() && view.threats && byId("show-threats").checked) {
    board.mark(view.threats.wins.map((action) => [action, "wins"]));
    board.mark(view.threats.holds.map((action) => [action, "holds"]));
  }
  byId("board").dataset.state = over() ? "over" : ofPerson() ? "yours" : "theirs";
  showPlayers();
  showStatus();
  showElsewhere();
  showMoves(view);
  byId("board-text").textContent = view.text;
  if (said) byId("said").textContent = over() ? `${said} ${byId("status").textContent}` : said;
  byId("undo").disabled = !canUndo();
  byId("redo").disabled = undone.length === 0;
  byId("hint").disabled = over() || !ofPerson() || hinting;
  byId("resign").disabled = over() || view.moves.length === 0;
  byId("swap").disabled = over() || opponent === PERSON;
  keepInAddress();
}

function keepInAddress() {
  const query = { game, opponent };
  if (view.link) query.moves = view.link;
  if (seat) query.seat = seat;
  if (seed) query.seed = seed;
  for (const name of ["clock", "lang"]) if (asked.get(name)) query[name] = asked.get(name);
  // commas, colons and equals signs may stand as they are, and a person can read them
  const text = new URLSearchParams(query).toString().replace(/%(2C|3A|3D)/g, decodeURIComponent);
  history.replaceState(null, "", `/play?${text}`);
  const analyse = byId("analyse");
  if (analyse) {
    const moves = view.link ? `&moves=${encodeURIComponent(view.link)}` : "";
    analyse.href = `/analyse?game=${encodeURIComponent(game)}${moves}`;
    byId("review").href = `/review?game=${encodeURIComponent(game)}${moves}`;
    byId("review").hidden = !over() || !moves;
  }
}

function opponentName() {
  const option = [...byId("level").options].find((each) => each.value === opponent);
  return option ? option.textContent : opponent;
}

function showPlayers() {
  for (const [id, player] of [["player-1", 1 - seat], ["player-0", seat]]) {
    const { name, colour, mark } = view.players[player];
    const who = opponent === PERSON ? "" : player === seat ? t("play.you") : opponentName();
    const element = byId(id);
    element.classList.toggle("turn", !over() && view.to_move === player);
    const disc = document.createElement("span");
    disc.className = "disc";
    if (colour) disc.style.backgroundColor = colour;
    else disc.textContent = mark;
    const title = document.createElement("strong");
    title.textContent = who || name;
    const note = document.createElement("span");
    note.className = "note";
    note.textContent = who ? name : "";
    const parts = [disc, title, note];
    if (search && !hinting && player !== seat) {
      const busy = document.createElement("span");
      busy.className = "busy";
      busy.textContent = t("play.thinking");
      parts.push(busy);
    }
    const right = document.createElement("span");
    right.className = "right";
    const lead = view.margin?.[player] ?? 0;
    if (lead > 0) {
      right.append(Object.assign(document.createElement("b"), { textContent: `+${lead}` }));
    }
    if (clock.on) {
      const time = document.createElement("time");
      time.textContent = clock.text(player);
      time.classList.toggle("low", clock.left[player] < 10);
      right.append(time);
    }
    parts.push(right);
    element.replaceChildren(...parts);
  }
}

function showStatus() {
  const status = byId("status");
  status.className = "status";
  if (!over()) {
    const again = view.movers.length && view.movers.at(-1) === view.to_move;
    if (opponent === PERSON) status.textContent = view.status;
    else if (!ofPerson()) status.textContent = t("play.thinking");
    else status.textContent = again ? t("play.again") : t("play.your_turn");
    status.classList.toggle("waiting", !ofPerson());
    return;
  }
  const winner = ended ? ended.winner : view.winner;
  const words = ended ? ended.reason : view.status;
  const own = winner === null ? "draw" : winner === seat ? "won" : "lost";
  status.textContent = opponent === PERSON ? words : `${t(`play.${own}`)} ${words}.`;
  status.classList.add("over", opponent === PERSON ? "draw" : own);
}

// Actions that have no place on the picture: passes, swaps, or all of a game without areas.
function showElsewhere() {
  const shown = !over() && ofPerson() && !search ? view.actions.filter((each) => !each.area) : [];
  byId("elsewhere").replaceChildren(
    ...shown.map((action) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button primary";
      button.textContent = action.label;
      button.addEventListener("click", () => play(action.action));
      return button;
    }),
  );
}

function complain(error) {
  if (error.name === "AbortError") return;
  const problem = byId("problem");
  const again = document.createElement("button");
  again.type = "button";
  again.className = "button";
  again.textContent = t("play.try_again");
  again.addEventListener("click", () => {
    problem.hidden = true;
    follow();
  });
  problem.replaceChildren(error instanceof Refused ? error.message : String(error), " ", again);
  problem.hidden = false;
}

// -- the game --

async function ask(path, content) {
  byId("problem").hidden = true;
  const threats = byId("show-threats").checked;
  return post(path, { game, moves: view.moves, threats, ...content });
}

function stopSearch() {
  if (search) search.abort();
  search = null;
  hinting = false;
}

// A finger on a small cell only aims; a second touch, or the button below the board, plays.
function choose(action, missed) {
  if (!missed || aimed === action.action) {
    play(action.action);
    return;
  }
  aimed = action.action;
  board.clearMarks();
  board.mark([[action.action, "hint"]]);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button primary";
  button.textContent = t("play.confirm", { action: action.name });
  button.addEventListener("click", () => play(action.action));
  byId("elsewhere").replaceChildren(button);
}

async function play(action) {
  if (over()) return;
  aimed = null;
  stopSearch();
  const mover = view.to_move;
  try {
    view = await ask("play", { action });
  } catch (error) {
    complain(error);
    return;
  }
  const next = undone.shift();
  if (next && next.name !== view.moves.at(-1)) undone = [];
  clock.run(view.over ? null : view.to_move, mover);
  show();
  if (view.over) finish("rules", null);
  follow();
}

// A game that has ended on this page is kept by a server that has a store.
async function finish(kind, loser) {
  if (!("store" in document.body.dataset) || view.moves.length === 0) return;
  try {
    const content = { game, moves: view.moves, opponent, seat, ended: kind, loser };
    const { number } = await post("finish", content);
    if (number) byId("said").textContent += ` ${t("play.saved")}`;
  } catch (error) {
    complain(error);
  }
}

// What the position asks for: the end of the game, or the opponent's move.
function follow() {
  if (over()) {
    clock.run(null);
    show();
  } else if (!ofPerson()) letOpponentMove();
}

async function letOpponentMove() {
  stopSearch();
  const mine = (search = new AbortController());
  show("");
  try {
    const query = { game, agent: opponent, moves: view.link, seed };
    const decision = await think(query, mine.signal, (progress) => progressShown(progress, view));
    if (search !== mine) return;
    progressShown(decision, view);
    search = null;
    await play(decision.action);
  } catch (error) {
    if (search !== mine) return;
    search = null;
    show("");
    complain(error);
  }
}

function canUndo() {
  if (ended) return true;
  return opponent === PERSON ? view.moves.length > 0 : view.movers.includes(seat);
}

async function goTo(ply) {
  stopSearch();
  const later = view.moves.slice(ply).map((name, i) => ({ name, mover: view.movers[ply + i] }));
  undone = [...later, ...undone];
  ended = null;
  try {
    view = await ask("view", { moves: view.moves.slice(0, ply) });
  } catch (error) {
    complain(error);
  }
  clock.run(null);
  show();
}

async function undo() {
  stopSearch();
  if (ended) {
    ended = null;
    show();
    return;
  }
  await goTo(opponent === PERSON ? view.moves.length - 1 : view.movers.lastIndexOf(seat));
}

async function redo() {
  stopSearch();
  const moves = [...view.moves];
  do moves.push(undone.shift().name);
  while (undone.length && opponent !== PERSON && undone[0].mover !== seat);
  try {
    view = await ask("view", { moves });
  } catch (error) {
    complain(error);
  }
  show();
  follow();
}

async function hint() {
  stopSearch();
  const mine = (search = new AbortController());
  hinting = true;
  show("");
  try {
    const query = { game, agent: HINTS, moves: view.link, seed };
    const decision = await think(query, mine.signal, (progress) => progressShown(progress, view));
    if (search !== mine) return;
    progressShown(decision, view);
    stopSearch();
    const action = view.actions.find((each) => each.action === decision.action);
    show("");
    board.mark([[decision.action, "hint"]]);
    const words = t("play.hint_is", { action: action.label });
    byId("status").textContent = words;
    byId("said").textContent = words;
  } catch (error) {
    if (search !== mine) return;
    stopSearch();
    show("");
    complain(error);
  }
}

function end(loser, key) {
  stopSearch();
  const reason = t(key, { player: view.players[loser].name });
  ended = { winner: 1 - loser, reason };
  clock.run(null);
  show(reason);
  finish(key === "reason.time" ? "time" : "resigned", loser);
}

function fall(player) {
  if (!over()) end(player, "reason.time");
}

function resign() {
  if (!confirm(t("play.resign_sure"))) return;
  end(opponent === PERSON ? view.to_move : seat, "reason.resigned");
}

function swap() {
  stopSearch();
  seat = 1 - seat;
  show("");
  follow();
}

async function rematch() {
  stopSearch();
  undone = [];
  ended = null;
  seed += 1;
  if (opponent !== PERSON) seat = 1 - seat;
  clock.reset();
  try {
    view = await ask("view", { moves: [] });
  } catch (error) {
    complain(error);
  }
  show();
  follow();
}

async function changeLevel() {
  const select = byId("level");
  let chosen = select.value;
  if (chosen === "") {
    chosen = await setUpAgent(game).catch(complain);
    if (!chosen) {
      select.value = opponent;
      return;
    }
  }
  opponent = chosen;
  showLevel();
  stopSearch();
  show("");
  follow();
}

// The opponent in the list of levels, added to it where it was set up by hand.
function showLevel() {
  const select = byId("level");
  if (![...select.options].some((option) => option.value === opponent)) {
    select.prepend(new Option(opponent, opponent));
  }
  select.value = opponent;
}

async function copyLink() {
  const button = byId("copy");
  await navigator.clipboard.writeText(location.href).catch(() => prompt("", location.href));
  button.textContent = t("play.copied");
  setTimeout(() => (button.textContent = t("play.link")), 2000);
}

const buttons = { undo, redo, hint, resign, swap, rematch, copy: copyLink };
for (const [id, action] of Object.entries(buttons)) byId(id).addEventListener("click", action);
byId("level").addEventListener("change", changeLevel);
byId("show-threats").addEventListener("change", async () => {
  byId("threat-legend").hidden = !byId("show-threats").checked;
  if (!byId("show-threats").checked) return show("");
  view = await ask("view", {}).catch((error) => (complain(error), view));
  return show("");
});
byId("show-thinking").addEventListener("change", () => {
  byId("thinking").hidden = !byId("show-thinking").checked;
});
addEventListener("pagehide", stopSearch);

showLevel();
clock.run(view.moves.length && !view.over ? view.to_move : null);
show("");
follow();
document.body.dataset.ready = "yes";
