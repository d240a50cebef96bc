// The page to play on. The address holds the whole game; the server is asked for every view.

import { setUpAgent } from "./agents.js";
import { post, stream, think } from "./api.js";
import { Board } from "./board.js";
import { Clock, Times } from "./clock.js";
import { addressOf, asked, byId, complain, copyAddress, keepInAddress, movesList, nameIn,
  onSteps, played, playersDisc, showChosen, showElsewhere, showSpecifications, textElement } from "./table.js";
import { progressShown } from "./thinking.js";
import { given, t } from "./words.js";

const HINTS = "alphabeta:time=1";
const REST = 1400; // milliseconds: the last motion, then a second in which the end is seen
// What the end of a game offers, by its result, in this order.
const OFFERS = { won: ["next", "again", "review"], lost: ["review", "again", "next"],
  draw: ["again", "next", "review"] };
const PERSON = "human";
let view = given("view");
let undone = []; // moves taken back, as {name, mover}, the next one first
let opponent = asked.get("opponent") || byId("level").dataset.first;
let seat = asked.get("seat") === "1" ? 1 : 0;
let seed = Number(asked.get("seed")) || 0;
let ended = endOf(asked.get("ended")); // {kind, loser} of a game that was resigned or lost on time
let search = null; // the AbortController of the search under way
let hinting = false;
let endsHere = false; // whether the game has ended while the page was open
let rest = null; // the timer until the end of a game is followed by what it offers
let aimed = null; // the action that a finger has aimed at
const game = view.game;

const board = new Board(byId("board"), t("play.board"), choose);
const clock = new Clock(asked.get("clock"), `${game} ${seed}`, showPlayers, fall);
const times = new Times(`${game} ${seed}`, view);
const showMoves = movesList(byId("moves"), (ply) => goTo(ply));

// How a game ended by an address, such as resigned:0.
function endOf(text) {
  const match = /^(resigned|time):([01])$/.exec(text ?? "");
  return match && !view.over ? { kind: match[1], loser: Number(match[2]) } : null;
}

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
  const mine = !over() && ofPerson() && !search;
  showElsewhere(mine ? view.actions : [], (action) => play(action.action), "button primary");
  showMoves(view);
  byId("board-text").textContent = view.text;
  if (said) byId("said").textContent = over() ? `${said} ${byId("status").textContent}` : said;
  byId("undo").disabled = !canUndo();
  byId("redo").disabled = undone.length === 0;
  byId("hint").disabled = over() || !ofPerson() || hinting;
  byId("resign").disabled = over() || view.moves.length === 0;
  byId("swap").disabled = over() || opponent === PERSON;
  const query = { game, opponent, ...played(view) };
  if (seat) query.seat = seat;
  if (seed) query.seed = seed;
  if (ended) query.ended = `${ended.kind}:${ended.loser}`;
  if (asked.get("clock")) query.clock = asked.get("clock");
  keepInAddress("/play", query);
  showSpecifications(game, opponent);
  byId("analyse").href = addressOf("/analyse", played(view));
  byId("review").href = addressOf("/review", played(view));
  byId("review").hidden = !over() || !view.link || Boolean(view.position);
  byId("next").hidden = !nextLevel();
  showOffers();
}

// What is offered at the end of a game, the best first; a game that ends here is seen for a moment.
function showOffers() {
  const end = byId("end");
  if (!over()) {
    clearTimeout(rest);
    end.hidden = true;
  }
  if (!over() || !end.hidden) return;
  const offers = OFFERS[result()].map(byId);
  const first = offers.find((offer) => !offer.hidden);
  for (const offer of offers) offer.classList.toggle("primary", offer === first);
  end.replaceChildren(...offers);
  const appear = () => (end.hidden = false);
  clearTimeout(rest);
  if (endsHere) rest = setTimeout(appear, REST);
  else appear();
}

// The opponent stands in the list of all, and a level among the levels too.
function showOpponent() {
  showChosen(byId("level"), opponent, game, showPlayers);
  for (const { control } of byId("levels").querySelectorAll("label")) {
    control.checked = control.value === opponent;
  }
}

function showPlayers() {
  for (const [id, player] of [["player-1", 1 - seat], ["player-0", seat]]) {
    const { name } = view.players[player];
    const who = opponent === PERSON ? "" : player === seat ? t("play.you") : nameIn(byId("level"), opponent);
    const element = byId(id);
    element.classList.toggle("turn", !over() && view.to_move === player);
    const parts = [
      playersDisc(view.players[player]),
      textElement("strong", who || name),
      textElement("span", who ? name : "", "note"),
    ];
    if (search && !hinting && player !== seat) {
      parts.push(textElement("span", t("play.thinking"), "busy"));
    }
    const right = document.createElement("span");
    right.className = "right";
    right.append(...scoreOf(player));
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

// What a player has counted, or by how much the player leads, where the game counts anything.
function scoreOf(player) {
  if (view.score) {
    const unit = view.score_unit ? [textElement("span", view.score_unit, "note")] : [];
    return [textElement("b", view.score[player]), ...unit];
  }
  const lead = view.margin?.[player] ?? 0;
  return lead > 0 ? [textElement("b", `+${lead}`)] : [];
}

function showStatus() {
  const status = byId("status");
  status.className = "status";
  if (!over()) {
    const again = view.movers.length && view.movers.at(-1) === view.to_move;
    if (opponent === PERSON) status.textContent = view.status;
    else if (!ofPerson()) status.textContent = search ? t("play.thinking") : view.status;
    else status.textContent = again ? t("play.again") : t("play.your_turn");
    status.classList.toggle("waiting", !ofPerson());
    return;
  }
  const words = ended ? endInWords() : view.status;
  status.textContent = opponent === PERSON ? words : `${t(`play.${result()}`)} ${words}.`;
  status.classList.add("over", result());
}

// How a game that is over went for the visitor; of two people at one screen neither wins.
function result() {
  const winner = ended ? 1 - ended.loser : view.winner;
  if (winner === null || opponent === PERSON) return "draw";
  return winner === seat ? "won" : "lost";
}

const endInWords = () => t(`reason.${ended.kind}`, { player: view.players[ended.loser].name });

// -- the game --

async function ask(path, content) {
  byId("problem").hidden = true;
  const threats = byId("show-threats").checked;
  return post(path, { game, position: view.position, moves: view.moves, threats, ...content });
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
  const label = t("play.confirm", { action: action.name });
  showElsewhere([{ ...action, label, area: null }], () => play(action.action), "button primary");
}

// Play a person's action.
async function play(action) {
  if (over()) return;
  aimed = null;
  stopSearch();
  try {
    arrive(await ask("play", { action }));
  } catch (error) {
    complain(error, () => play(action));
  }
}

// The game is one move further: a person's, or an agent's, which took `seconds`.
function arrive(next, seconds) {
  const mover = view.to_move;
  view = next;
  endsHere = view.over;
  times.add(view, seconds);
  if (view.moves.length === 1) sessionStorage.removeItem(`kept ${game} ${seed}`); // a new game
  const undoneMove = undone.shift();
  if (undoneMove && undoneMove.name !== view.moves.at(-1)) undone = [];
  clock.run(view.over ? null : view.to_move, mover);
  show();
  if (view.over) finish("rules", null);
  follow();
}

// A game that has ended on this page is kept by a server that has a store: once, whatever moves
// are taken back and played again.
async function finish(kind, loser) {
  if (!("store" in document.body.dataset) || view.moves.length === 0 || view.position) return;
  const kept = `kept ${game} ${seed}`;
  if (sessionStorage.getItem(kept)) return;
  sessionStorage.setItem(kept, "yes");
  try {
    const content = { game, moves: view.moves, seconds: times.spent, opponent, seat,
      ended: kind, loser };
    const { number } = await post("finish", content);
    if (number) byId("said").textContent += ` ${t("play.saved")}`;
  } catch (error) {
    sessionStorage.removeItem(kept);
    complain(error, () => finish(kind, loser));
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
    const decision = await decided(opponent, mine);
    await board.settled; // one's own move is seen to its end
    if (search !== mine) return;
    search = null;
    arrive(decision.view, decision.seconds);
  } catch (error) {
    failed(error, mine, follow);
  }
}

// What an agent decides in the position shown; its progress is shown too.
async function decided(agent, mine) {
  const threats = byId("show-threats").checked;
  const query = { ...played(view), agent, seed, threats };
  const decision = await think(query, mine.signal, progressShown);
  if (search === mine) progressShown(decision);
  return decision;
}

// A search has failed, which `again` begins once more; one that was stopped tells nothing.
function failed(error, mine, again) {
  if (search !== mine) return;
  stopSearch();
  show("");
  complain(error, again);
}

// Ask for the view after other moves; `then` is called once it is shown.
async function open(moves, then) {
  try {
    view = await ask("view", { moves });
    times.follow(view);
    then();
  } catch (error) {
    show("");
    complain(error, () => open(moves, then));
  }
}

function canUndo() {
  if (ended) return true;
  return opponent === PERSON ? view.moves.length > 0 : view.movers.includes(seat);
}

function goTo(ply) {
  stopSearch();
  const later = view.moves.slice(ply).map((name, i) => ({ name, mover: view.movers[ply + i] }));
  ended = null;
  clock.run(null);
  return open(view.moves.slice(0, ply), () => {
    undone = [...later, ...undone];
    show();
  });
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

function redo() {
  stopSearch();
  const [moves, left] = [[...view.moves], [...undone]];
  do moves.push(left.shift().name);
  while (left.length && opponent !== PERSON && left[0].mover !== seat);
  return open(moves, () => {
    undone = left;
    show();
    follow();
  });
}

async function hint() {
  stopSearch();
  const mine = (search = new AbortController());
  hinting = true;
  show("");
  try {
    // the solver says what is best where it reaches, a search elsewhere
    const exact = byId("hint").dataset.solvable
      && await stream("solve", played(view), mine.signal, () => {});
    const best = exact?.exact ? exact.optimal[0] : (await decided(HINTS, mine)).action;
    if (search !== mine) return;
    stopSearch();
    const action = view.actions.find((each) => each.action === best);
    show("");
    board.mark([[best, "hint"]]);
    const words = t("play.hint_is", { action: action.label });
    byId("status").textContent = words;
    byId("said").textContent = words;
  } catch (error) {
    failed(error, mine, hint);
  }
}

function end(loser, kind) {
  stopSearch();
  ended = { kind, loser };
  endsHere = true;
  clock.run(null);
  show(endInWords());
  finish(kind, loser);
}

function fall(player) {
  if (!over()) end(player, "time");
}

function resign() {
  if (!confirm(t("play.resign_sure"))) return;
  end(opponent === PERSON ? view.to_move : seat, "resigned");
}

function swap() {
  stopSearch();
  seat = 1 - seat;
  sessionStorage.setItem(`kept ${game} ${seed}`, "yes"); // both have played either side: not kept
  show("");
  follow();
}

function rematch() {
  stopSearch();
  return open([], () => {
    undone = [];
    ended = null;
    seed += 1;
    if (opponent !== PERSON) seat = 1 - seat;
    clock.reset();
    show();
    follow();
  });
}

// The option of the level after this one, if there is one.
const nextLevel = () =>
  byId("level").querySelector(`optgroup:first-child > [value="${CSS.escape(opponent)}"]`)?.nextElementSibling;

function playNext() {
  opponent = nextLevel().value;
  showOpponent();
  return rematch();
}

async function changeLevel({ target }) {
  const chosen = target.value || (await setUpAgent(game).catch(complain));
  if (chosen) opponent = chosen;
  showOpponent();
  if (!chosen) return;
  stopSearch();
  show("");
  follow();
}

const copyLink = () => copyAddress(byId("copy"), location.href);

const buttons = { undo, redo, hint, resign, swap, rematch, again: rematch, next: playNext, copy: copyLink };
for (const [id, action] of Object.entries(buttons)) byId(id).addEventListener("click", action);
for (const id of ["level", "levels"]) byId(id).addEventListener("change", changeLevel);
byId("show-threats").addEventListener("change", () => {
  byId("threat-legend").hidden = !byId("show-threats").checked;
  return byId("show-threats").checked ? open(view.moves, () => show("")) : show("");
});
byId("show-thinking").addEventListener("change", () => {
  byId("thinking").hidden = !byId("show-thinking").checked;
});
onSteps(() => byId("undo").click(), () => byId("redo").click());
addEventListener("pagehide", stopSearch);

showOpponent();
clock.run(view.moves.length && !over() ? view.to_move : null);
show("");
follow();
document.body.dataset.ready = "yes";
