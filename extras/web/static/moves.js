// The list of moves: numbered rows, the move of each player in its column.

export function movesList(element, go) {
  return (view) => {
    const rows = [];
    view.moves.forEach((name, ply) => {
      const mover = view.movers[ply];
      let row = rows.at(-1);
      // a new row for player_0 after player_1; a player who moves again stays in the row
      if (!row || (mover === 0 && ply && view.movers[ply - 1] === 1)) {
        row = document.createElement("li");
        row.append(document.createElement("span"), document.createElement("span"));
        rows.push(row);
      }
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.dataset.ply = ply + 1;
      if (ply === (view.shown ?? view.moves.length) - 1) button.setAttribute("aria-current", "step");
      button.addEventListener("click", () => go(ply + 1));
      row.children[mover].append(button);
    });
    element.replaceChildren(...rows);
    const current = element.querySelector("[aria-current]");
    if (current) element.scrollTop = current.offsetTop - element.clientHeight / 2;
  };
}
