// Two agents are watched: the page says who they are and what they think.

import { setUpAgent } from "./agents.js";
import { post } from "./api.js";
import { Board } from "./board.js";
import { Match } from "./match.js";
import { addressOf, asked, byId, complain, keepInAddress, movesList, nameIn, onSteps, played,
  playersDisc, showBar, showChosen, showSpecifications, textElement } from "./table.js";
import { thoughts } from "./thinking.js";
import { given, t } from "./words.js";

let bar = null;
const offered = [...byId("agent-0").options].map((option) => option.value).filter(Boolean);
const agents = [asked.get("first") || offered[0], asked.get("second") || offered[1] || offered[0]];

const board = new Board(byId("board"), t("play.board"), () => {});
const showMoves = movesList(byId("moves"), (ply) => goTo(ply));
const match = new Match(board, {
  show,
  tell,
  failed: complain,
  pause: () => 1000 * Number(byId("speed").value),
});
match.seed = Number(asked.get("seed")) || 0;
match.set(given("view"), agents);

function show() {
  const { view, running, search, seed } = match;
  board.show(view, false);
  byId("board").dataset.state = view.over ? "over" : running ? "running" : "waiting";
  byId("status").textContent = view.status;
  byId("board-text").textContent = view.text;
  if (view.said) byId("said").textContent = view.over ? `${view.said} ${view.status}` : view.said;
  if (search) byId("problem").hidden = true;
  showMoves(view);
  byId("auto").textContent = running ? t("watch.pause") : t("watch.auto");
  byId("auto").disabled = view.over;
  byId("step").disabled = view.over || running || Boolean(search);
  showBar(byId("bar"), view.over ? { null: 0, 0: 1, 1: -1 }[view.winner] : bar, view.players);
  for (const player of [0, 1]) showPlayer(player);
  const query = { game: view.game, first: agents[0], second: agents[1], ...played(view) };
  keepInAddress("/watch", seed ? { ...query, seed } : query);
  showSpecifications(view.game, ...agents);
  byId("review").href = addressOf("/review", played(view));
  byId("review").hidden = Boolean(view.position); // a review begins with the first move
}

function showPlayer(player) {
  const { view, search } = match;
  const element = byId(`player-${player}`);
  element.classList.toggle("turn", !view.over && view.to_move === player);
  element.replaceChildren(
    playersDisc(view.players[player]),
    textElement("strong", nameIn(byId(`agent-${player}`), agents[player])),
    textElement("span", view.players[player].name, "note"),
    ...(search && view.to_move === player ? [textElement("span", t("play.thinking"), "busy")] : []),
  );
}

function tell(decision) {
  if (decision.bar !== null) bar = decision.bar;
  showBar(byId("bar"), bar, match.view.players);
  byId("thinking").replaceChildren(thoughts(decision));
}

async function goTo(ply, then = () => {}) {
  match.stop();
  const { game, position, moves } = match.view;
  try {
    match.set(await post("view", { game, position, moves: moves.slice(0, ply) }), agents);
  } catch (error) {
    complain(error, () => goTo(ply, then));
    return;
  }
  byId("problem").hidden = true;
  show();
  then();
}

byId("auto").addEventListener("click", () => (match.running ? match.stop() : match.run()));
byId("step").addEventListener("click", () => match.step());
byId("again").addEventListener("click", () => {
  const { running } = match;
  goTo(0, () => {
    match.seed += 1;
    bar = null;
    show();
    if (running) match.run();
  });
});
const showSpeed = () => {
  byId("speed-text").textContent = t("watch.seconds", { seconds: byId("speed").value });
};
byId("speed").addEventListener("input", showSpeed);
for (const player of [0, 1]) {
  const select = byId(`agent-${player}`);
  select.addEventListener("change", async () => {
    let wanted = select.value;
    if (wanted === "") {
      wanted = (await setUpAgent(match.view.game).catch(complain)) ?? agents[player];
    }
    agents[player] = wanted;
    showChosen(select, wanted, match.view.game, show);
    match.stop();
  });
  showChosen(select, agents[player], match.view.game, show);
}
onSteps(() => match.view.moves.length && goTo(match.view.moves.length - 1), () => match.step());
addEventListener("pagehide", () => match.search?.abort());
showSpeed();
show();
document.body.dataset.ready = "yes";
