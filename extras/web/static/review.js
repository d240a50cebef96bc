// The review of a game: the value of every position, the grade of every move, the better moves.

import { setUpAgent } from "./agents.js";
import { stream } from "./api.js";
import { Board, svgElement } from "./board.js";
import { SteppedLine } from "./line.js";
import { addressOf, asked, byId, complain, copyAddress, keepInAddress, movesList, played, showBar,
  showChosen, showElsewhere, showSpecifications, textElement } from "./table.js";
import { given, t } from "./words.js";

const COUNTED = ["best", "good", "inaccuracy", "mistake"];
const number = asked.get("number"); // of a game of the store
const usual = byId("grader").options[0].value;
let grader = asked.get("agent") || usual; // the agent that grades where no solver reaches
let search = null;
let view = given("view");
const game = { moves: [...view.moves], movers: [...view.movers], link: view.link };
const graded = new Map(); // by ply
const valued = new Map(); // by ply
let review = null;
let puzzle = null; // the graded move whose better one is to be found
let tried = null; // {action, right} of the last try

const board = new Board(byId("board"), t("play.board"), chosen);
const line = new SteppedLine(view, arrive, complain);
const showMoves = movesList(byId("moves"), (ply) => leave(ply));

const inGame = () => line.moves.length === game.moves.length
  && line.moves.every((name, ply) => name === game.moves[ply]);

function arrive(next) {
  view = next;
  show();
}

// Back to the game, to the position after `ply` moves.
function leave(ply) {
  puzzle = null;
  tried = null;
  line.moves = [...game.moves];
  line.movers = [...game.movers];
  return line.go(ply);
}

function chosen(action) {
  if (!puzzle) return line.play(action.action);
  const right = puzzle.better.actions.includes(action.action);
  tried = { action: action.action, name: action.name, right };
  return show();
}

// -- what is shown --

function show() {
  board.show(view, !view.over);
  byId("board-text").textContent = view.text;
  if (view.said && !puzzle) byId("said").textContent = view.said;
  const variation = !inGame();
  byId("status").textContent = variation ? t("review.variation") : view.status;
  showMoves(line.listed(view));
  if (!variation) markMoves();
  showElsewhere(view.actions, chosen);
  showVerdict(variation);
  showGraph();
  const value = valueAt(line.ply);
  showBar(byId("bar"), variation || value === null ? null : 2 * value - 1, view.players);
  const move = graded.get(line.ply - 1);
  byId("find").hidden = variation || Boolean(puzzle) || !hasBetter(move);
  byId("solution").hidden = !puzzle || Boolean(tried?.right);
  byId("leave").hidden = !variation && !puzzle;
  byId("next").disabled = nextMistake() === null;
  if (!variation && move?.missed === "block") {
    board.mark(move.threats.actions.map((action) => [action, "wrong"]));
  }
  if (tried) board.mark([[tried.action, tried.right ? "right" : "wrong"]]);
  keepLinks();
}

const hasBetter = (move) =>
  Boolean(move) && (move.grade === "mistake" || move.grade === "inaccuracy") &&
  move.better.actions.length > 0;

// The whole game and who grades it, as links and requests name them.
function reviewed() {
  const query = { game: view.game, moves: game.link };
  return grader === usual ? query : { ...query, agent: grader };
}

function keepLinks() {
  showSpecifications(view.game, grader);
  byId("analyse").href = addressOf("/analyse", played(view));
  for (const link of document.querySelectorAll(".export")) {
    const where = link.dataset.where;
    const [whole, page] = [{ game: view.game, moves: game.link }, where === "game.html"];
    const query = page ? reviewed() : where.startsWith("board") ? played(view) : whole;
    link.href = addressOf(`/export/${where}`, query);
  }
}

function markMoves() {
  for (const button of document.querySelectorAll("#moves button")) {
    const move = graded.get(Number(button.dataset.ply) - 1);
    if (move) button.classList.add(move.grade);
    if (move) button.title = t(`review.${move.grade}`);
  }
}

const paragraph = (text, kind) => textElement("p", text, kind);

function showVerdict(variation) {
  const parts = [];
  const move = variation ? null : graded.get(line.ply - 1);
  if (puzzle) {
    const player = view.players[view.to_move].name;
    if (!tried) parts.push(paragraph(t("review.try", { player })));
    else {
      const kind = tried.right ? "best" : "mistake";
      const words = t(tried.right ? "review.right" : "review.wrong", { move: tried.name });
      parts.push(paragraph(words, kind));
      if (tried.right && puzzle.line.names.length > 1) {
        parts.push(paragraph(t("review.line", { moves: puzzle.line.names.slice(0, 12).join(" ") })));
      }
    }
  } else if (!move) {
    parts.push(paragraph(t("review.start"), "note"));
  } else {
    parts.push(paragraph(`${move.name}: ${t(`review.${move.grade}`)}`, move.grade));
    if (move.change) {
      const [from, to] = move.change.split(" to ").map((each) => t(`review.${each}`));
      parts.push(paragraph(t("review.change", { from, to })));
    } else if (move.loss >= 0.005) {
      parts.push(paragraph(t("review.gives", { percent: Math.round(100 * move.loss) })));
    }
    if (move.missed) {
      const player = view.players[1 - move.player].name;
      const moves = move.threats.names.slice(0, 3).join(", ");
      parts.push(paragraph(t(`review.missed_${move.missed}`, { player, moves })));
    }
    if (move.grade !== "best" && move.better.names.length) {
      const moves = move.better.names.slice(0, 8).join(", ");
      parts.push(paragraph(t("review.better", { moves })));
      if (move.line.names.length > 1) {
        const shown = move.line.names.slice(0, 12).join(" ");
        parts.push(paragraph(t("review.line", { moves: shown }), "note"));
      }
    }
    if (move.grade !== "forced") {
      parts.push(paragraph(t(move.exact ? "review.proved" : "review.estimated"), "note"));
    }
  }
  byId("verdict").replaceChildren(...parts);
}

// -- the graph --

// The value after so many moves, null where it is not known yet.
const valueOf = (ply) => review?.values[ply] ?? valued.get(ply) ?? null;
// The expected score of player_0, from 0 to 1.
const valueAt = (ply) => valueOf(ply)?.expected_score ?? null;

const axisLine = (ends) => svgElement("line", { class: "axis", ...ends });

// The plies that the axis names: at most nine, at round numbers.
function ticksOf(count) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200].find((each) => count / each <= 8) ?? 500;
  return Array.from({ length: Math.floor(count / step) + 1 }, (_, i) => i * step);
}

function showGraph() {
  const graph = byId("graph");
  const count = game.moves.length;
  const x = (ply) => 1.5 + (97 * ply) / Math.max(1, count);  // room for the dots at both ends
  const y = (value) => 96 - 92 * value;
  const known = [];
  for (let ply = 0; ply <= count; ply += 1) {
    const value = valueAt(ply);
    if (value !== null) known.push([ply, value]);
  }
  const points = known.map(([ply, value]) => `${x(ply)},${y(value)}`).join(" ");
  const ticks = ticksOf(count);
  graph.replaceChildren(
    ...[0, 0.5, 1].map((value) => axisLine({ x1: 0, x2: 100, y1: y(value), y2: y(value) })),
    ...ticks.map((ply) => axisLine({ x1: x(ply), x2: x(ply), y1: 0, y2: 100 })),
  );
  byId("plies").replaceChildren(...ticks.map((ply) => {
    const label = textElement("span", ply);
    label.style.left = `${x(ply)}%`;
    return label;
  }));
  if (known.length > 1) {
    const [first, last] = [x(known[0][0]), x(known.at(-1)[0])];
    const around = `${first},50 ${points} ${last},50`;
    graph.append(svgElement("polygon", { class: "area", points: around }));
  }
  for (const [index, [ply, value]] of known.entries()) {
    if (!index) continue;
    const [earlier, before] = known[index - 1];
    const proved = valueOf(earlier).exact && valueOf(ply).exact;
    const points = `${x(earlier)},${y(before)} ${x(ply)},${y(value)}`;
    graph.append(svgElement("polyline", { class: `curve ${proved ? "proved" : "estimate"}`, points }));
  }
  for (const [ply, move] of graded) {
    if (move.grade !== "mistake" && move.grade !== "inaccuracy") continue;
    const value = valueAt(ply + 1);
    if (value === null) continue;
    const [rx, ry] = [4.5 * (100 / graph.clientWidth), 4.5 * (100 / graph.clientHeight)];
    graph.append(svgElement("ellipse", {
      class: `dot ${move.grade}`, cx: x(ply + 1), cy: y(value), rx, ry,
    }));
  }
  if (inGame()) {
    const at = x(line.ply);
    graph.append(svgElement("line", { class: "now", x1: at, x2: at, y1: 0, y2: 100 }));
  }
}

byId("graph").addEventListener("click", (event) => {
  const box = byId("graph").getBoundingClientRect();
  leave(Math.round((game.moves.length * (event.clientX - box.left)) / box.width));
});

// The moves that decided the game, in a sentence each; each leads to its position.
function showTurningPoints() {
  byId("turning-points").replaceChildren(...review.turning_points.map((point) => {
    const words = { number: point.number, move: point.name, player: view.players[point.player].name,
      other: view.players[1 - point.player].name };
    const button = textElement("button", t(`review.turned_${point.kind}`, words), "turning");
    button.type = "button";
    button.addEventListener("click", () => leave(point.ply + 1));
    return button;
  }));
}

function showTotals() {
  const table = document.createElement("table");
  const head = table.insertRow();
  head.append(document.createElement("td"));
  for (const player of view.players) {
    const cell = textElement("th", player.name);
    cell.scope = "col";
    head.append(cell);
  }
  for (const grade of COUNTED) {
    const row = table.insertRow();
    const title = textElement("th", t(`review.grades_${grade}`));
    title.scope = "row";
    row.append(title);
    for (const totals of review.totals) row.insertCell().textContent = totals.grades[grade];
  }
  const accuracy = table.insertRow();
  const title = textElement("th", t("review.accuracy"));
  title.scope = "row";
  accuracy.append(title);
  for (const { accuracy: share } of review.totals) {
    accuracy.insertCell().textContent = share === null ? "–" : `${Math.round(100 * share)} %`;
  }
  byId("totals").replaceChildren(table, textElement("p", t("review.accuracy_is"), "note"));
  byId("totals").hidden = false;
}

// -- puzzles --

function nextMistake() {
  const plies = [...graded.keys()].filter((ply) => hasBetter(graded.get(ply)));
  plies.sort((a, b) => a - b);
  const here = inGame() ? line.ply : 0;
  return plies.find((ply) => ply + 1 > here) ?? plies[0] ?? null;
}

byId("next").addEventListener("click", () => leave(nextMistake() + 1));
byId("leave").addEventListener("click", () => leave(puzzle ? puzzle.ply + 1 : game.moves.length));
byId("find").addEventListener("click", async () => {
  const move = graded.get(line.ply - 1);
  await leave(move.ply);
  puzzle = move;
  show();
});
byId("solution").addEventListener("click", () => {
  const [action] = puzzle.better.actions;
  tried = { action, name: puzzle.better.names[0], right: true };
  show();
});
byId("copy").addEventListener("click", () =>
  copyAddress(byId("copy"), location.origin + addressOf("/review", reviewed())),
);
byId("grader").addEventListener("change", async () => {
  let wanted = byId("grader").value;
  if (wanted === "") wanted = (await setUpAgent(view.game).catch(complain)) ?? grader;
  showChosen(byId("grader"), wanted, view.game);
  if (wanted === grader) return;
  grader = wanted;
  const query = number ? { number } : { game: view.game, moves: game.link };
  keepInAddress("/review", grader === usual ? query : { ...query, agent: grader });
  graded.clear();
  valued.clear();
  review = null;
  puzzle = null;
  tried = null;
  show();
  if (game.moves.length) reviewAll();
});

async function reviewAll() {
  const all = game.moves.length;
  search?.abort();
  const mine = (search = new AbortController());
  delete document.body.dataset.reviewed;
  byId("problem").hidden = true;
  byId("totals").hidden = true;
  byId("turning-points").replaceChildren();
  byId("working").hidden = false;
  const tell = () => {
    byId("progress").value = (valued.size + graded.size) / (2 * all + 1);
    const [key, done] = graded.size ? ["review.working", graded.size] : ["review.valuing", valued.size];
    byId("working-text").textContent = t(key, { done, all: graded.size ? all : all + 1 });
  };
  tell();
  try {
    const found = await stream("review", reviewed(), mine.signal, (step) => {
      if (step.value) valued.set(step.ply, step.value);
      else graded.set(step.ply, step);
      tell();
      show();
    });
    review = found;
    for (const move of review.moves) graded.set(move.ply, move);
    showTotals();
    showTurningPoints();
    byId("working").hidden = true;
    document.body.dataset.reviewed = "yes";
  } catch (error) {
    if (search !== mine) return; // another agent grades now
    byId("working").hidden = true;
    complain(error, reviewAll);
  }
  show();
}

addEventListener("pagehide", () => search?.abort());
showChosen(byId("grader"), grader, view.game);
show();
if (game.moves.length) reviewAll();
else byId("working").hidden = true;
document.body.dataset.ready = "yes";
